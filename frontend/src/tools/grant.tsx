import { Plug } from 'lucide-react';
import { text } from '../ui/text.ts';
import { argument, type Call } from './call.ts';
import { tense, type Card } from './card.ts';

/** Whether a call is the session's own question: may an MCP server be started, and given its secrets? */
export const isGrant = ({ id, input }: Call) => id.startsWith('grant_') && argument(input, 'server') !== undefined;

export const grant: Card = {
  icon: Plug,
  verb: call => tense(call, text.tool.start),
  target: call => argument(call.input, 'server'),
  body: () => <p className="text-sm text-soft">{text.tool.startSays}</p>,
};
