import type { LiveVault } from './vault.ts';

/** How many milliseconds pass at least from one report to the next. */
const often = 60_000;

/** Tells the door that somebody is here while they are, if the history locks itself when nobody is. */
export function reportPresence(vault: LiveVault, page: EventTarget): void {
  let reported = -Infinity;
  const report = () => {
    if (!vault.isOpen || !vault.value.vault?.lockAfter || Date.now() - reported < often) return;
    reported = Date.now();
    void vault.beActive();
  };
  for (const sign of ['keydown', 'pointerdown', 'pointermove', 'wheel']) page.addEventListener(sign, report, { capture: true, passive: true });
}
