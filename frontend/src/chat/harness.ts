import type { Message } from './message.ts';

/** Something that a person may choose in the program that the agent runs in: its mode, its model. */
export interface Option {
  id: string;
  name: string;
  category?: string;
  value: string;
  choices: { value: string; name: string; description?: string }[];
}

/** Something that a message may begin with, after a slash. */
export interface Command {
  name: string;
  description?: string;
}

/** The program that took a turn, and how: the data of a data-harness part. */
export interface HarnessState {
  harness: string;
  /** resumed: its session went on after it was ended; retold: it began anew, and was told what was said before. */
  how: 'new' | 'warm' | 'resumed' | 'retold';
  version?: string;
  /** It can be told something in the middle of its turn. */
  steers?: boolean;
  options?: Option[] | null;
  commands?: Command[] | null;
}

/** Whether the program that is at an answer can be told something meanwhile. */
export function takesMore(answer: Message | undefined): boolean {
  return answer?.parts.findLast(part => part.type === 'data-harness')?.data.steers ?? false;
}

/** What the program of a kind told last, in these messages. */
export function harnessIn(messages: Message[], kind: string | undefined): HarnessState | undefined {
  for (const { parts } of messages.toReversed()) {
    const told = parts.findLast(part => part.type === 'data-harness');
    if (told) return told.data.harness === kind ? told.data : undefined;
  }
  return undefined;
}
