const focusable = 'input, textarea, select, button, summary, [tabindex="0"]';

/**
 * Moves the focus to what a key of the file names, or else to what is nearest above it. Fields have the keys of what they are
 * about as their ids.
 */
export function focusOn(root: HTMLElement, key: string): void {
  for (let near = key; near !== ''; near = near.replace(/(^|\.)[^.[\]]*$|\[[^\]]*\]$/, '')) {
    const found = root.querySelector<HTMLElement>(`#${CSS.escape(near)}`);
    if (!found) continue;
    for (let fold = found.closest('details'); fold; fold = fold.parentElement!.closest('details')) fold.open = true;
    const target = found.matches(focusable) ? found : (found.querySelector<HTMLElement>(focusable) ?? found);
    target.scrollIntoView({ block: 'center' });
    target.focus();
    return;
  }
}
