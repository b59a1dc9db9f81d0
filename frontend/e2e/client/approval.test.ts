import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { expect } from 'vitest';
import { test } from '../test.ts';

for (const approved of [true, false]) {
  test(`§6 Approvals: the AI SDK's own flow, with the answer in the tool part of its next request: approved is ${approved}`, async ({ parley }) => {
    const { url, token } = parley.door;
    const headers = { authorization: `Bearer ${token}`, 'x-ai-sdk': '7' };
    const chat = new Chat<UIMessage>({
      id: 'asking',
      transport: new DefaultChatTransport({ api: `${url}/messages`, headers, body: { references: { agent: 'demo-careful' } } }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage({ text: '[[tool:write_file {"path":"a.txt","content":"one"}]] [[say:Done.]]' });
    const call = chat.lastMessage!.parts.find(part => part.type === 'tool-write_file') as { approval: { id: string } };
    await chat.addToolApprovalResponse({ id: call.approval.id, approved, reason: approved ? undefined : 'Not there.' });
    await expect.poll(() => chat.lastMessage!.parts.at(-1)).toMatchObject({ type: 'text', text: 'Done.', state: 'done' });
    await expect.poll(() => chat.status).toBe('ready');

    expect(chat.messages).toHaveLength(2);
    const state = approved ? { state: 'output-available', output: { created: true } } : { state: 'output-denied', approval: { reason: 'Not there.' } };
    expect(chat.lastMessage!.parts.find(part => part.type === 'tool-write_file')).toMatchObject(state);
    const body = JSON.stringify({ session_id: 'asking' });
    const answer = await fetch(`${url}/load-session`, { method: 'POST', headers: { ...headers, accept: 'application/json', 'content-type': 'application/json' }, body });
    const { messages } = (await answer.json()) as { messages: UIMessage[] };
    expect(messages.at(-1)).toEqual(JSON.parse(JSON.stringify(chat.lastMessage)));
  });
}
