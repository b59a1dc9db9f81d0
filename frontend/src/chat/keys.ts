/** What a key does in the box that a person writes in. */
export type Doing = 'send' | 'recall' | 'stop';

interface Pressed {
  key: string;
  keyCode: number;
  isComposing: boolean;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

/** Undefined: the key does what it always does. */
export function doing(pressed: Pressed, box: { isEmpty: boolean; isBusy: boolean }): Doing | undefined {
  // With an input method, Enter picks a word. Safari says so by the key code alone.
  if (pressed.isComposing || pressed.keyCode === 229) return undefined;
  const isPlain = !pressed.shiftKey && !pressed.altKey && !pressed.ctrlKey && !pressed.metaKey;
  switch (pressed.key) {
    case 'Enter':
      return pressed.shiftKey || pressed.altKey ? undefined : 'send';
    case 'ArrowUp':
      return isPlain && box.isEmpty ? 'recall' : undefined;
    case 'Escape':
      return isPlain && box.isBusy ? 'stop' : undefined;
  }
  return undefined;
}
