import { ApiError, type Client } from '../api/client.ts';
import type { Answer } from '../api/soon.ts';
import { Store } from '../ui/store.ts';
import { isToolPart } from '../tools/call.ts';
import { isOver, type Approval, type InputRequest, type Message, type Part } from './message.ts';

/** Something that a turn cannot go on without, and the call that waits for it. */
export type Question = { call: string; tool: string; isOpen: boolean } & (
  | { kind: 'approval'; id: string; asks: Partial<Approval> }
  | { kind: 'input'; id: string; asks: InputRequest }
  /** Whoever sent the message has to run the tool. */
  | { kind: 'client_tool'; id: undefined }
);

/** The questions of an answer, by the call that waits. */
export function questionsIn(parts: Part[]): Map<string, Question> {
  const questions = new Map<string, Question>();
  for (const part of parts.filter(isToolPart)) {
    const call = part.toolCallId;
    const tool = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length);
    const waits = part.state === 'input-available';
    const input = parts.find(other => other.type === 'data-input-request' && other.data.toolCallId === call);
    if (part.approval) {
      const { id } = part.approval;
      const manifest = parts.find(other => other.type === 'data-approval' && other.id === id);
      const asks = manifest?.type === 'data-approval' ? manifest.data : {};
      questions.set(call, { kind: 'approval', call, tool, id, asks, isOpen: part.state === 'approval-requested' });
    } else if (input?.type === 'data-input-request') {
      questions.set(call, { kind: 'input', call, tool, id: input.id!, asks: input.data, isOpen: waits });
    } else if (!part.providerExecuted) {
      questions.set(call, { kind: 'client_tool', call, tool, id: undefined, isOpen: waits });
    }
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
  /** Those whose cards a person sees. */
  inView: ReadonlySet<string>;
  /** The one that the person is to be taken to. */
  goal: string | undefined;
  /** When an answer was given last: what moves into its place is not meant by the same click. */
  answeredAt: number;
}

/** The person's side of what an agent asks. */
export class Questions extends Store<State> {
  constructor(private readonly client: Client) {
    super({ answered: new Set(), problems: {}, inView: new Set(), goal: undefined, answeredAt: 0 });
  }

  /** Stores an answer. How the turn goes on from it is the session's to see. */
  async answer(id: string, answer: Answer): Promise<void> {
    if (this.value.answered.has(id)) return;
    const { [id]: _, ...problems } = this.value.problems;
    this.set({ answered: new Set(this.value.answered).add(id), problems, answeredAt: performance.now() });
    try {
      await this.client.answer(id, answer);
    } catch (error) {
      const answered = new Set(this.value.answered);
      answered.delete(id);
      this.set({ answered, problems: { ...this.value.problems, [id]: (error as ApiError).message } });
    }
  }

  /** Says whether a person sees the card of a question. */
  see(id: string, isSeen: boolean): void {
    if (this.value.inView.has(id) === isSeen) return;
    const inView = new Set(this.value.inView);
    if (isSeen) inView.add(id);
    else inView.delete(id);
    this.set({ inView });
  }

  goTo(id: string | undefined): void {
    this.set({ goal: id });
  }
}
