import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Call } from './call.ts';

/** How the calls of one tool are shown. */
export interface Card {
  icon: LucideIcon;
  /** What the call does, in the tense of its state. */
  verb(call: Call): string;
  /** To what, if that is known yet. */
  target(call: Call): string | undefined;
  /** What came of it, in a few words. */
  meta?(call: Call): ReactNode;
  /** What a running call has to show so far, under its line. */
  live?(call: Call): ReactNode;
  /** What came of it, for who opens the card. Nothing, if the general view of input and output shows it as well. */
  body?(call: Call): ReactNode;
}

/** The tenses of what a tool does. */
export interface Tenses {
  asking: string;
  running: string;
  done: string;
  failed: string;
  denied: string;
}

export function tense({ state }: Call, tenses: Tenses): string {
  switch (state) {
    case 'asking':
      return tenses.asking;
    case 'writing':
    case 'allowed':
    case 'running':
      return tenses.running;
    case 'done':
      return tenses.done;
    case 'failed':
      return tenses.failed;
    case 'denied':
      return tenses.denied;
  }
}
