// What the tests of the wire share: the fixtures in backend/uistream/testdata, and the real clients that read them.
import { readdirSync, readFileSync } from 'node:fs';
import { Chat } from '@ai-sdk/react';
import * as ai7 from 'ai';
import * as ai6 from 'ai6';
import * as ai5 from 'ai5';
import type { ChatInit, ChatStatus, ChatTransport, UIMessage } from 'ai';

const testdata = new URL('../../../backend/uistream/testdata/', import.meta.url);

export const read = (path: string) => readFileSync(new URL(path, testdata), 'utf8');

export const turns = readdirSync(new URL('turns/', testdata)).filter(name => name.endsWith('.txt'));

/** The sections of a fixture, by name. {{1000*x}} stands for a thousand x. */
export function sections(text: string): Record<string, string> {
  const expanded = text.replace(/\{\{(\d+)\*(.)\}\}/gu, (_, n, c) => c.repeat(Number(n)));
  return Object.fromEntries(expanded.split(/^-- (?=\w+ --\n)/m).slice(1).map(section => section.split(/ --\n([^]*)/)));
}

/** The frames of a stream, each with what ends it. */
export const frames = (sse: string) => sse.match(/[^]+?\n\n/g) ?? [];

export const indexOf = (frame: string) => Number(/^id: (\d+)/.exec(frame)?.[1]);

export const chunks = (sse: string) => frames(sse).filter(f => !f.includes('[DONE]')).map(f => JSON.parse(f.split('\ndata: ')[1]!));

type NewChat = (init: ChatInit<UIMessage>) => ai7.AbstractChat<UIMessage>;

/** A major of the AI SDK: its own transport and chat over one plain state. The page's is the newest. */
export interface Major {
  name: string;
  sdk: typeof ai7;
  chat: NewChat;
}

class PlainState {
  status: ChatStatus = 'ready';
  error: Error | undefined;
  messages: UIMessage[] = [];
  pushMessage = (message: UIMessage) => void (this.messages = [...this.messages, message]);
  popMessage = () => void (this.messages = this.messages.slice(0, -1));
  replaceMessage = (i: number, message: UIMessage) => void (this.messages = this.messages.with(i, structuredClone(message)));
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

function older(name: string, other: object): Major {
  const sdk = other as typeof ai7;
  class PlainChat extends sdk.AbstractChat<UIMessage> {
    constructor(init: ChatInit<UIMessage>) {
      super({ ...init, state: new PlainState() as never });
    }
  }
  return { name, sdk, chat: init => new PlainChat(init) };
}

export const newest: Major = { name: 'ai', sdk: ai7, chat: init => new Chat(init) };

export const majors = [newest, older('ai6', ai6), older('ai5', ai5)];

/** A transport to which the given responses come, one for each request. */
export function httpTransport(major: Major, ...responses: string[]): ChatTransport<UIMessage> {
  return new major.sdk.DefaultChatTransport({ fetch: async () => new Response(responses.shift()) });
}

/** A chat with ids that are known, and the answer that it keeps at the end. */
export function chatOver(major: Major, transport: ChatTransport<UIMessage>, more?: Partial<ChatInit<UIMessage>>) {
  const ids = ['u1', 'a1', 'a2'];
  const last: { kept?: UIMessage } = {};
  const onFinish = ({ message }: { message: UIMessage }) => void (last.kept = message);
  return { last, chat: major.chat({ id: 'sess_1', transport, generateId: () => ids.shift() ?? 'more', onFinish, ...more }) };
}

/** What a chat keeps of an answer, and what it shows of it. */
export async function ask(major: Major, transport: ChatTransport<UIMessage>) {
  const { chat, last } = chatOver(major, transport);
  await chat.sendMessage({ text: 'Hi' });
  return { kept: JSON.stringify(last.kept), shown: JSON.stringify(chat.lastMessage), status: chat.status, error: chat.error };
}
