import { MessageCircleQuestion } from 'lucide-react';
import { text } from '../ui/text.ts';
import { argument } from './call.ts';
import { tense, type Card } from './card.ts';
import { Json } from './json.tsx';
import { Output } from './output.tsx';

/** A question that was answered. One that is open has a card of its own. */
export const askUser: Card = {
  icon: MessageCircleQuestion,
  verb: call => tense(call, text.tool.ask),
  target: call => argument(call.input, 'question'),
  body: ({ output }) => {
    if (typeof output === 'string') return <Output text={output} />;
    return output === undefined || output === null ? undefined : <Json value={output} />;
  },
};
