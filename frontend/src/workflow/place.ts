import { useMemo } from 'react';
import { canvas, useHash } from '../ui/route.ts';

/** What of the canvas is shown: a file, a session that would be one, or all files if neither is said. */
export interface Place {
  file?: string;
  session?: string;
  node?: string; // that is looked at
}

const pattern = /^#canvas(?:\/(file|session)\/([^?]+))?(?:\?node=(.+))?$/;

export function canvasHref({ file, session, node }: Place): string {
  const at = file ? `/file/${encodeURIComponent(file)}` : session ? `/session/${encodeURIComponent(session)}` : '';
  return `${canvas}${at}${node ? `?node=${encodeURIComponent(node)}` : ''}`;
}

export function placeIn(hash: string): Place {
  const [, kind, at, node] = pattern.exec(hash)?.map(plain) ?? [];
  return { file: kind === 'file' ? at : undefined, session: kind === 'session' ? at : undefined, node };
}

export function usePlace(): Place {
  const hash = useHash();
  return useMemo(() => placeIn(hash), [hash]);
}

function plain(part: string | undefined): string | undefined {
  try {
    return part && decodeURIComponent(part);
  } catch {
    return undefined; // an address that somebody cut
  }
}
