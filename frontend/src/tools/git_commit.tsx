import { text } from '../ui/text.ts';
import { argument } from './call.ts';
import { gitCard } from './git.tsx';

export const gitCommit = gitCard(text.tool.commit, call => argument(call.input, 'message')?.split('\n', 1)[0]);
