import { text } from '../ui/text.ts';
import { gitCard } from './git.tsx';

export const gitStatus = gitCard(text.tool.look, () => 'git status');
