import type { Client } from '../api/client.ts';
import type { Decision } from '../api/types.gen.ts';
import { Store } from '../ui/store.ts';
import { isToolPart, toCall } from '../tools/call.ts';
import { isOver, type Approval, type InputRequest, type Message, type Part } from './message.ts';

/** Something that a turn cannot go on without, and the call that waits for it. */
export type Question = { call: string; tool: string; isOpen: boolean } & (
  | { kind: 'approval'; id: string; asks: Approval | undefined }
  | { kind: 'input'; id: string; asks: InputRequest }
  /** Whoever sent the message has to run the tool. */
  | { kind: 'client_tool'; id: undefined }
);

/** The questions of an answer, by the call that waits. */
export function questionsIn(parts: Part[]): Map<string, Question> {
  const approvals = new Map(parts.flatMap(part => (part.type === 'data-approval' ? [[part.data.toolCallId, part.data]] : [])));
  const inputs = new Map(parts.flatMap(part => (part.type === 'data-input-request' ? [[part.data.toolCallId, part]] : [])));
  const questions = new Map<string, Question>();
  for (const part of parts.filter(isToolPart)) {
    const { toolCallId: call, approval, state } = part;
    const about = { call, tool: toCall(part).name, isOpen: state === (approval ? 'approval-requested' : 'input-available') };
    const input = inputs.get(call);
    if (approval) questions.set(call, { kind: 'approval', id: approval.id, asks: approvals.get(call), ...about });
    else if (input) questions.set(call, { kind: 'input', id: input.id!, asks: input.data, ...about });
    else if (!part.providerExecuted) questions.set(call, { kind: 'client_tool', id: undefined, ...about });
  }
  return questions;
}

/** What the last message of a session waits for. While an answer is coming, that is nothing yet. */
export function openQuestions(last: Message | undefined): Question[] {
  if (last?.role !== 'assistant' || isOver(last)) return [];
  return [...questionsIn(last.parts).values()].filter(question => question.isOpen);
}

interface State {
  /** Those whose answers are on their way, or stored and not seen yet. */
  answered: ReadonlySet<string>;
  /** Why an answer could not be stored. */
  problems: Readonly<Record<string, string>>;
  /** Those whose cards are there, and whether a person sees them. */
  cards: ReadonlyMap<string, boolean>;
  /** The one that the person is to be taken to. */
  goal: string | undefined;
  /** When an answer was given last: what moves into its place is not meant by the same click. */
  answeredAt: number;
}

/** The person's side of what an agent asks. */
export class Questions extends Store<State> {
  constructor(private readonly client: Client) {
    super({ answered: new Set(), problems: {}, cards: new Map(), goal: undefined, answeredAt: 0 });
  }

  /** Stores an answer. How the turn goes on from it is the session's to see. */
  async answer(id: string, decision: Decision): Promise<void> {
    if (this.value.answered.has(id)) return;
    const { [id]: _, ...problems } = this.value.problems;
    this.set({ answered: new Set(this.value.answered).add(id), problems, answeredAt: performance.now() });
    try {
      await this.client.answer(id, decision);
    } catch (error) {
      const answered = new Set(this.value.answered);
      answered.delete(id);
      this.set({ answered, problems: { ...this.value.problems, [id]: (error as Error).message } });
    }
  }

  /** Says whether a person sees the card of a question; undefined if there is none any more. */
  see(id: string, isSeen: boolean | undefined): void {
    const cards = new Map(this.value.cards);
    if (isSeen === undefined) cards.delete(id);
    else cards.set(id, isSeen);
    this.set({ cards });
  }

  goTo(id: string | undefined): void {
    this.set({ goal: id });
  }
}
