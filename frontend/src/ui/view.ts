import { useCallback } from 'react';
import type { Login } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Store, useStore } from './store.ts';

export const themes = ['system', 'light', 'dark'] as const;

/** What the person has chosen for this page. It is all that the page itself remembers. */
export interface View {
  theme: (typeof themes)[number];
  sidebar: boolean;
  wrap: boolean; // of code
  notify: boolean; // of what waits, while another window is in front
  ownLogins: string[]; // the ids of agents that shall work with the person's own login, not with a key
}

const key = 'parley.view';
const usual: View = { theme: 'system', sidebar: true, wrap: false, notify: false, ownLogins: [] };

export class ViewSettings extends Store<View> {
  constructor() {
    super({ ...usual, ...stored() });
    this.#apply();
  }

  change(change: Partial<View>): void {
    this.set(change);
    localStorage.setItem(key, JSON.stringify(this.value));
    this.#apply();
  }

  /** Whose account an agent shall work with, if it is not the one that it has. */
  loginOf(agent: string): Login | undefined {
    return this.value.ownLogins.includes(agent) ? 'own' : undefined;
  }

  #apply(): void {
    document.documentElement.dataset.theme = this.value.theme;
  }
}

function stored(): Partial<View> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<View>;
  } catch {
    return {};
  }
}

export function useView(): [View, (change: Partial<View>) => void] {
  const { view } = useParley();
  return [useStore(view, value => value), useCallback(change => view.change(change), [view])];
}
