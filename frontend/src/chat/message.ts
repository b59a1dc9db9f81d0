import type { FileUIPart, TextUIPart, UIMessage } from 'ai';
import type { Code, PlanItem } from '../api/types.gen.ts';
import type { HarnessState } from './harness.ts';

/** What a message says of its turn. The last four are there once the turn is over; usage may come earlier. */
export interface Metadata {
  createdAt?: number;
  model?: string;
  agent?: string;
  usage?: { input: number; output: number; total: number; cacheRead?: number; cacheWrite?: number };
  stopReason?: string;
  finishedAt?: number;
}

/** Why a turn failed: the data of a data-agent-error part. */
export interface AgentError {
  code: Code;
  message: string;
  retryable: boolean;
  remedy: string;
}

export interface Plan {
  items: PlanItem[];
}

/** What a call is about to do, in the harness's words: the data of a data-approval part. */
export interface Approval {
  toolCallId: string;
  action?: unknown;
  preview?: unknown;
  /** The pattern of the calls that may be allowed along with it; none if it is for this once only. */
  rule?: unknown;
  /** What it changes in a file, if that is known. */
  diff?: unknown;
  /** The slugs of the secrets that it would be given. */
  secrets?: unknown;
}

/** What an agent wants to know, in the harness's words: the data of a data-input-request part. */
export interface InputRequest {
  toolCallId: string;
  question?: unknown;
  options?: unknown;
  schema?: unknown;
}

/** What the agent tells the person on their desktop. */
export interface Notice {
  title: string;
  body: string;
}

/** An MCP server that the turn did without: the data of a data-mcp part. */
export interface MissingServer {
  server: string;
  reason?: string;
}

/** What the person said in the middle of the turn: the data of a data-steered part. */
export interface Steered {
  messageId: string;
  text: string;
}

type Data = {
  'agent-error': AgentError;
  plan: Plan;
  status: { text: string };
  approval: Approval;
  'input-request': InputRequest;
  harness: HarnessState;
  mcp: MissingServer;
  notification: Notice;
  steered: Steered;
  /** What the agent's program said that nobody here knows, as it came. */
  update: unknown;
  render: { toolCallId: string; render: unknown };
};

export type Message = UIMessage<Metadata, Data>;

export type Part = Message['parts'][number];

/** What was said in a message, as markdown. */
export function spoken(message: Message): string {
  return message.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/** What a person says: words, or files that the server has, or both. */
export interface Said {
  text: string;
  files: FileUIPart[];
}

export function saidIn(message: Message): Said {
  return { text: spoken(message), files: message.parts.filter(part => part.type === 'file') };
}

/** The parts of a message that says this. */
export function partsOf({ text, files }: Said): (FileUIPart | TextUIPart)[] {
  return text ? [...files, { type: 'text', text }] : files;
}

/** What a message is called where there is one line for it. */
export function titleOf({ text, files }: Said): string {
  return text || files.map(({ filename }) => filename).join(', ');
}

export function isNothing({ text, files }: Said): boolean {
  return !text && files.length === 0;
}

/** Whether two messages say the same. The address of a file follows from its content. */
export function isSame(a: Said, b: Said): boolean {
  return a.text === b.text && urlsOf(a) === urlsOf(b);
}

function urlsOf({ files }: Said): string {
  return files.map(({ url }) => url).join();
}

/** Whether the turn of an answer is over. One that is not, and of which nothing comes, was cut off or waits for a person. */
export function isOver(answer: Message): boolean {
  const reason = answer.metadata?.stopReason;
  return reason !== undefined && reason !== 'paused';
}
