import { useEffect, useRef } from 'react';
import { useParley } from '../parley.ts';
import { text } from './text.ts';

/** What can be done with a key from anywhere on the page. Mod is Cmd on a Mac and Ctrl elsewhere. */
export const shortcuts = {
  new: { keys: ['Mod+N', 'Alt+N'], label: text.keys.new }, // a browser keeps the first for itself
  composer: { keys: ['Mod+L'], label: text.keys.composer },
  search: { keys: ['Mod+K'], label: text.keys.search },
  sidebar: { keys: ['Mod+B'], label: text.keys.sidebar },
  stop: { keys: ['Mod+.'], label: text.keys.stop },
  question: { keys: ['Alt+A'], label: text.keys.question },
  inbox: { keys: ['Alt+I'], label: text.inbox.title },
  permissions: { keys: ['Alt+P'], label: text.permissions.title },
  servers: { keys: ['Alt+M'], label: text.servers },
  secrets: { keys: ['Alt+S'], label: text.secrets },
  export: { keys: ['Alt+E'], label: text.sessions.export },
  workflows: { keys: ['Alt+W'], label: text.workflows },
  previous: { keys: ['Alt+ArrowUp'], label: text.keys.previous },
  next: { keys: ['Alt+ArrowDown'], label: text.keys.next },
  key: { keys: ['Alt+K'], label: text.vault.key.title },
  yours: { keys: ['Alt+Y'], label: text.agent.yours },
  agents: { keys: ['Alt+G'], label: text.harness.title },
  help: { keys: ['?'], label: text.keys.help },
} as const;

export type Shortcut = keyof typeof shortcuts;

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Hears keys, and calls whoever bound the shortcut last. */
export class Keys {
  #bound = new Map<Shortcut, (() => void)[]>();

  constructor(target: EventTarget) {
    target.addEventListener('keydown', event => this.#pressed(event as KeyboardEvent));
  }

  /** Binds until the function that it gives is called. */
  bind(shortcut: Shortcut, run: () => void): () => void {
    this.#bound.set(shortcut, [...(this.#bound.get(shortcut) ?? []), run]);
    return () => this.#bound.set(shortcut, this.#bound.get(shortcut)!.filter(other => other !== run));
  }

  #pressed(event: KeyboardEvent): void {
    const shortcut = find(event, isMac);
    const run = shortcut && this.#bound.get(shortcut)?.at(-1);
    if (!run) return;
    event.preventDefault();
    run();
  }
}

/** The shortcut that a key is, if any. Where a person writes, a key without a modifier is a letter. */
export function find(event: KeyboardEvent, onMac: boolean): Shortcut | undefined {
  if (event.isComposing) return undefined;
  const mod = onMac ? event.metaKey : event.ctrlKey;
  const pressed = `${mod ? 'Mod+' : ''}${event.altKey ? 'Alt+' : ''}${event.key.length === 1 ? event.key.toUpperCase() : event.key}`;
  if (!mod && !event.altKey && isWriting(event.target)) return undefined;
  return (Object.keys(shortcuts) as Shortcut[]).find(name => (shortcuts[name].keys as readonly string[]).includes(pressed));
}

/** Whether keys that are pressed there are letters. */
export function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));
}

/** Whether a key belongs to an input method: Enter then picks a word. Safari says so by the key code alone. */
export function isComposing(pressed: { isComposing: boolean; keyCode: number }): boolean {
  return pressed.isComposing || pressed.keyCode === 229;
}

/** Binds a shortcut while the component is there. */
export function useShortcut(shortcut: Shortcut, run: () => void): void {
  const { keys } = useParley();
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => keys.bind(shortcut, () => latest.current()), [keys, shortcut]);
}

/** A combination as it is printed on this keyboard. */
export function printed(keys: string): string[] {
  const names: Record<string, string> = { Mod: isMac ? '⌘' : 'Ctrl', Alt: isMac ? '⌥' : 'Alt', ArrowUp: '↑', ArrowDown: '↓' };
  return keys.split('+').map(key => names[key] ?? key);
}
