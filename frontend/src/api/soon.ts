import type { LoadedSession as Loaded } from './types.gen.ts';

export interface Queued {
  number: number;
  message: unknown;
}

export interface Queue {
  queue: Queued[];
}

export interface Enqueued {
  session_id: string;
  queued?: { number: number; message_id: string };
}

export type LoadedSession = Loaded & { queue?: Queued[]; branches?: Record<string, string[]> };

export interface Answer {
  approved?: boolean;
  note?: string;
  scope?: 'once' | 'session';
  output?: unknown;
}
