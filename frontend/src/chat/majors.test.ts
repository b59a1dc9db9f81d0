// @vitest-environment node
//
// The same fixtures, read by the newest client and by the two majors before it: what each is sent it accepts, and makes the
// same message of, as far as it knows what that is made of.
//
// | ai      | what it does not know                                                                              |
// |---------|----------------------------------------------------------------------------------------------------|
// | 7.0.173 | nothing                                                                                            |
// | 6.0.326 | how a question was decided, unless it did so itself. Arguments that are no JSON it calls rawInput  |
// | 5.0.277 | questions and denied calls, at which its turn fails; that a call got a better name; rawInput as 6  |
import { readFileSync } from 'node:fs';
import type { ToolUIPart } from 'ai';
import { describe, expect, test } from 'vitest';
import { ask, chatOver, chunks, frames, httpTransport, indexOf, majors, newest, read, sections, turns, type Major } from './fixtures.ts';

const fixtures = turns.map(name => ({ name, ...sections(read(`turns/${name}`)) }) as Record<string, string> & { name: string });

/** What a client of a major is sent: the whole turn. */
const streamFor = (major: Major, { common, sse }: Record<string, string>) => (major === newest ? sse! : (common ?? sse!));

const unknownTo5 = new Set(['tool-approval-request', 'tool-output-denied']);

/** What a major before the newest makes of a part of the newest's message. */
function asOlder(part: Partial<ToolUIPart>, major: Major, sent: ReturnType<typeof chunks>) {
  const of = (type: string) => sent.find(chunk => chunk.type === type && chunk.toolCallId === part.toolCallId);
  const type = major.name === 'ai5' && part.toolCallId ? `tool-${of('tool-input-start')?.toolName}` : part.type;
  const { approval, state } = part;
  const members = Object.entries({ ...part, type }).flatMap(([key, value]) => {
    if (key === 'approval') return 'isAutomatic' in approval! ? [] : [[key, { id: approval!.id }]];
    if (key === 'state' && state === 'approval-responded') return [[key, 'approval-requested']];
    if (key === 'input' && state === 'output-error' && of('tool-input-error')) return [['rawInput', value]];
    return [[key, value]];
  });
  return Object.fromEntries(members);
}

/** The message that a client of a major makes of a turn which it watches. */
function messageOf(major: Major, fixture: Record<string, string>): string {
  const message = JSON.parse(fixture.message!);
  if (major !== newest) message.parts = message.parts.map((part: ToolUIPart) => asOlder(part, major, chunks(fixture.sse!)));
  return JSON.stringify(message);
}

test('the majors are those that package.json pins', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const pinned = [dependencies.ai, devDependencies.ai6, devDependencies.ai5];
  expect(pinned).toEqual(['7.0.173', 'npm:ai@6.0.326', 'npm:ai@5.0.277']);
  const versions = majors.map(({ name }) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version);
  expect(versions).toEqual(pinned.map(version => version.replace('npm:ai@', '')));
});

describe.each(majors)('$name', major => {
  const { asSchema, uiMessageChunkSchema } = major.sdk;
  const schema = asSchema(uiMessageChunkSchema);
  const isKnown = (chunk: { type: string }) => major.name !== 'ai5' || !unknownTo5.has(chunk.type);

  describe.each(fixtures)('$name', fixture => {
    const stream = streamFor(major, fixture);

    // §4 Emit the strict form: the schema of the client itself knows every chunk.
    test('every chunk is one that it knows', async () => {
      for (const chunk of chunks(stream)) {
        const { success } = await schema.validate!(chunk);
        expect({ chunk, success }).toEqual({ chunk, success: isKnown(chunk) });
      }
    });

    test('it makes the same message, or fails where it must', async () => {
      const { kept, status } = await ask(major, httpTransport(major, stream));
      const isWhole = chunks(stream).every(isKnown);
      const want = { status: isWhole && !stream.includes('"type":"error"') ? 'ready' : 'error', kept: isWhole ? messageOf(major, fixture) : kept };
      expect({ status, kept }).toEqual(want);
    });
  });
});

/** The responses to one client after another, each of which asked for what follows the last. */
const responsesOf = (fixture: Record<string, string>) => fixture.responses!.match(/[^]*?data: \[DONE\]\n\n/g)!;

/** Without what only a client of the newest major knows. */
const withoutDecisions = (stream: string) => frames(stream).filter(f => !f.includes('"type":"tool-approval-response"') && !f.includes('"isAutomatic"')).join('');

const asking = fixtures.filter(fixture => fixture.responses);

describe.each(majors.filter(({ name }) => name !== 'ai5'))('$name goes on after a pause', major => {
  // §6 A paused turn parks: the answers came from elsewhere, and each response begins with the same messageId.
  test.each(asking)('$name', async fixture => {
    const all = responsesOf(fixture).map(response => (major === newest ? response : withoutDecisions(response)));
    const { chat } = chatOver(major, httpTransport(major, ...all));
    await chat.sendMessage({ text: 'Hi' });
    for (const _ of all.slice(1)) await chat.sendMessage();
    expect(JSON.stringify(chat.lastMessage)).toBe(messageOf(major, fixture));
    expect(chat.messages).toHaveLength(2);
  });

  // §6 or by the AI SDK's own flow: the client answers, and sends the whole by itself.
  test.each(['ask_allowed', 'ask_denied', 'ask_two', 'client_tool'])('%s, with its own answers', async name => {
    const fixture = asking.find(f => f.name === `${name}.txt`)!;
    const message = fixture.message!.trimEnd();
    const responses = responsesOf(fixture);
    const start = frames(responses[1]!)[0]!; // then what is sent to a client that was there from the beginning
    const rest = start + frames(fixture.sse!).filter(f => !(indexOf(f) <= indexOf(start))).join('');
    const asked: string[] = [];
    const transport = new major.sdk.DefaultChatTransport({
      fetch: async (_: unknown, init?: RequestInit) => {
        asked.push(init?.body as string);
        return new Response(asked.length === 1 ? responses[0] : major === newest ? rest : withoutDecisions(rest));
      },
    });
    const { lastAssistantMessageIsCompleteWithApprovalResponses: decided, lastAssistantMessageIsCompleteWithToolCalls: called } = major.sdk;
    const { chat } = chatOver(major, transport, { sendAutomaticallyWhen: shown => decided(shown) || called(shown) });
    await chat.sendMessage({ text: 'Hi' });
    for (const part of (JSON.parse(message).parts as ToolUIPart[]).toReversed()) {
      const { approval, toolCallId, output, errorText } = part;
      if (approval) await chat.addToolApprovalResponse({ id: approval.id, approved: approval.approved!, reason: approval.reason });
      else if (toolCallId && errorText) await chat.addToolOutput({ tool: 'any', toolCallId, state: 'output-error', errorText });
      else if (toolCallId && !part.providerExecuted) await chat.addToolOutput({ tool: 'any', toolCallId, output });
    }
    await expect.poll(() => [asked.length, chat.status]).toEqual([2, 'ready']);
    expect(JSON.stringify(chat.lastMessage)).toBe(message);
    expect(asked[1]).toBe(read(`requests/${name}.json`).trimEnd());
  });
});
