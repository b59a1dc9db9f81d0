import { isComposing } from '../ui/keys.ts';

/** What a key does in the box that a person writes in. */
export type Doing = 'send' | 'sendNow' | 'recall' | 'stop';

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
export function doing(pressed: Pressed, box: { isEmpty: boolean; isBusy: boolean; isPaused: boolean }): Doing | undefined {
  if (isComposing(pressed)) return undefined;
  const isPlain = !pressed.shiftKey && !pressed.altKey && !pressed.ctrlKey && !pressed.metaKey;
  switch (pressed.key) {
    case 'Enter':
      if (pressed.shiftKey || pressed.altKey) return undefined;
      return (box.isBusy || box.isPaused) && (pressed.ctrlKey || pressed.metaKey) ? 'sendNow' : 'send';
    case 'ArrowUp':
      return isPlain && box.isEmpty ? 'recall' : undefined;
    case 'Escape':
      return isPlain && box.isBusy ? 'stop' : undefined;
  }
  return undefined;
}
