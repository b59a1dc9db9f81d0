/**
 * Moves the focus to what a key of the file names, or else to what is nearest above it. Fields, and what they stand in, have as
 * ids the keys of what they are about.
 */
export function focusOn(root: HTMLElement, key: string): void {
  for (let near = key; near !== ''; near = near.replace(/(^|\.)[^.[\]]*$|\[[^\]]*\]$/, '')) {
    const found = root.querySelector<HTMLElement>(`#${CSS.escape(near)}`);
    if (!found) continue;
    const target = within(found);
    for (let fold = found.closest('details'); fold; fold = fold.parentElement!.closest('details')) fold.open = true;
    target.scrollIntoView({ block: 'center' });
    target.focus();
    return;
  }
}

/** What of an element takes the focus: itself, or else a field that is seen, or else a button. */
function within(element: HTMLElement): HTMLElement {
  if (element.matches('input, textarea, select, button, [tabindex]')) return element;
  const fields = [...element.querySelectorAll<HTMLElement>('input, textarea, select')];
  return fields.find(field => !field.closest('details:not([open])')) ?? element.querySelector<HTMLElement>('summary, button') ?? element;
}
