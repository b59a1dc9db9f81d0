import type { Editor } from '../editor.ts';

/** Undo and redo by keys. A browser knows only what was typed into a field, and not what else the workflow was then. */
export function takeBack(event: KeyboardEvent, editor: Editor): void {
  const key = event.key.toLowerCase();
  if (event.defaultPrevented || event.altKey || !(event.ctrlKey || event.metaKey) || (key !== 'z' && key !== 'y')) return;
  const box = event.target;
  if (box instanceof Element && box.closest('[data-untaken]')) return; // nobody but the field has what is typed there
  event.preventDefault();
  const isText = box instanceof HTMLTextAreaElement || (box instanceof HTMLInputElement && box.type === 'text');
  const before = isText ? box.value : '';
  if (key === 'y' || event.shiftKey) editor.redo();
  else editor.undo();
  if (!isText) return;
  requestAnimationFrame(() => {
    const place = changed(before, box.value);
    if (box.value !== before) box.setSelectionRange(place, place);
  });
}

/** Where in a text that ends which is not as before: there the caret belongs, and a browser puts it at the end of all. */
export function changed(before: string, text: string): number {
  let same = 0;
  while (same < Math.min(before.length, text.length) && before.at(-1 - same) === text.at(-1 - same)) same++;
  return text.length - same;
}
