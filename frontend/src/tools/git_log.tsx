import { text } from '../ui/text.ts';
import { argument } from './call.ts';
import { gitCard } from './git.tsx';

export const gitLog = gitCard(text.tool.look, call => ['git log', argument(call.input, 'ref')].filter(Boolean).join(' '));
