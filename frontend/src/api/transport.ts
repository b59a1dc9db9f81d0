import { WebSocketChatTransport, type ChatTransport, type UIMessageChunk } from 'ai';
import type { Message } from '../chat/message.ts';
import type { Wire } from './wire.ts';

/** The AI SDK's transport over the page's one socket. A stream that ends before its turn did fails as a lost connection. */
export function chatTransport(wire: Wire): ChatTransport<Message> {
  const inner = new WebSocketChatTransport<Message>({
    url: 'ws://parley', // the wire knows where the door really is
    webSocket: wire.socket,
    // The server's record of a session is the one that counts; of what is sent it reads the newest message only.
    prepareSendMessagesRequest: ({ messages }) => ({ messages: messages.slice(-1) }),
  });
  return {
    resumeStreamIsReplay: true,
    sendMessages: async options => whole(await inner.sendMessages(options)),
    reconnectToStream: async options => {
      const stream = await inner.reconnectToStream(options);
      return stream && whole(stream);
    },
  };
}

const last: readonly UIMessageChunk['type'][] = ['finish', 'abort', 'error'];

/** The client takes the end of a stream for the end of its turn. Without its last chunk it is a cut, whatever cut it. */
function whole(stream: ReadableStream<UIMessageChunk>): ReadableStream<UIMessageChunk> {
  let ended = false;
  return stream.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        ended ||= last.includes(chunk.type);
        controller.enqueue(chunk);
      },
      flush(controller) {
        if (!ended) controller.error(new TypeError('network: the stream ended before its turn did'));
      },
    }),
  );
}

/** Whether a chat failed because its connection did: then the turn may go on, and can be resumed. */
export function isCut(error: Error): boolean {
  return error instanceof TypeError && error.message.includes('network');
}
