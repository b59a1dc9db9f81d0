import { useSyncExternalStore } from 'react';

/** The address of the workflows. What follows it is read by workflow/place.ts. */
export const canvas = '#canvas';

const path = /^#\/([A-Za-z0-9._:-]{1,128})$/;

/** The session in the address bar; none for a new one. */
function read(): string | undefined {
  return path.exec(location.hash)?.[1];
}

export function useRoute(): string | undefined {
  return useSyncExternalStore(watch, read);
}

export function useHash(): string {
  return useSyncExternalStore(watch, () => location.hash);
}

function watch(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

export function hrefOf(session: string | undefined): string {
  return `#/${session ?? ''}`;
}

export function goTo(session: string | undefined): void {
  location.hash = hrefOf(session);
}

/** Puts a session that has just begun to exist into the address bar: a reload finds it, and Back does not leave it twice. */
export function settleOn(session: string): void {
  if (read() !== session) settle(hrefOf(session));
}

/** Puts another address in the place of this one. */
export function settle(href: string): void {
  history.replaceState(null, '', href);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}
