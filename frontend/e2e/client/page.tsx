import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
import { createRoot } from 'react-dom/client';

// All the glue there is: where the door is, and what opens it.
const transport = new DefaultChatTransport({
  api: `${location.origin}/messages`,
  headers: { authorization: `Bearer ${location.hash.slice(1)}` },
});

function Page() {
  const { messages, status, error, sendMessage, stop } = useChat({ id: 'test-page', transport });
  return (
    <>
      {messages.map(({ id, role, parts }) => (
        <p key={id} data-role={role}>
          {parts.map(part => (part.type === 'text' ? part.text : `<${part.type}>`))}
        </p>
      ))}
      <form action={data => sendMessage({ text: String(data.get('words')) })}>
        <input name="words" aria-label="Message" />
      </form>
      <button type="button" onClick={stop}>
        Stop
      </button>
      <output>{error?.message ?? status}</output>
    </>
  );
}

createRoot(document.body.appendChild(document.createElement('main'))).render(<Page />);
