import { Bell } from 'lucide-react';
import { text } from '../ui/text.ts';
import { argument } from './call.ts';
import { tense, type Card } from './card.ts';

export const notify: Card = {
  icon: Bell,
  verb: call => tense(call, text.tool.notify),
  target: call => argument(call.input, 'title'),
  body: call => {
    const body = argument(call.input, 'body');
    return body ? <p className="text-sm whitespace-pre-wrap">{body}</p> : undefined;
  },
};
