import { Wrench } from 'lucide-react';
import { CopyButton } from '../ui/copy.tsx';
import { text } from '../ui/text.ts';
import type { Call } from './call.ts';
import { tense, type Card } from './card.ts';
import { Json } from './json.tsx';
import { Output } from './output.tsx';
import { LiveTerminal } from './terminal_view.tsx';

/** The card of every tool that has none of its own. */
export const generic: Card = {
  icon: Wrench,
  verb: call => tense(call, text.tool.other),
  target: call => call.name,
  live: ({ output }) => (typeof output === 'string' && output.trim() ? <LiveTerminal written={output} /> : undefined),
  body: call => <InputAndOutput call={call} />,
};

/** What the tool was asked, and what it gave. */
export function InputAndOutput({ call }: { call: Call }) {
  const { input, output, error } = call;
  return (
    <div className="flex flex-col gap-3">
      {input !== undefined && input !== null && <Section title={text.tool.input} value={input} />}
      {error !== undefined && <Section title={text.tool.error} value={error} />}
      {output !== undefined && output !== null && <Section title={text.tool.output} value={output} />}
    </div>
  );
}

function Section({ title, value }: { title: string; value: unknown }) {
  const isText = typeof value === 'string';
  return (
    <section aria-label={title}>
      <div className="flex items-center text-xs text-faint">
        {title}
        <CopyButton content={() => (isText ? value : JSON.stringify(value, null, 2))} label={text.copy(title)} className="ms-1 size-6" />
      </div>
      {isText ? <Output text={value} /> : <Json value={value} />}
    </section>
  );
}
