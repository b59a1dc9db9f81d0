import type { Message } from './message.ts';

/** What was asked and what was answered to it. */
export interface Turn {
  key: string;
  asked: Message | undefined; // undefined if the session begins with an answer
  answers: Message[];
}

/** The agent that took a turn, by its id, as far as it is known. */
export function agentOf(turn: Turn | undefined): string | undefined {
  return turn?.answers.findLast(({ metadata }) => metadata?.agent)?.metadata?.agent;
}

/** Sorts messages into turns. A turn that is as it was before is the same object, so that it is not rendered again. */
export function toTurns(messages: Message[], before: Turn[] = []): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === 'user' || !last) {
      const isAnswer = message.role !== 'user';
      turns.push({ key: message.id, asked: isAnswer ? undefined : message, answers: isAnswer ? [message] : [] });
    } else {
      last.answers.push(message);
    }
  }
  const known = new Map(before.map(turn => [turn.key, turn]));
  return turns.map(turn => {
    const old = known.get(turn.key);
    return old && isSame(old, turn) ? old : turn;
  });
}

function isSame(a: Turn, b: Turn): boolean {
  return a.asked === b.asked && a.answers.length === b.answers.length && a.answers.every((answer, i) => answer === b.answers[i]);
}
