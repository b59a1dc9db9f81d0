import { GitBranch } from 'lucide-react';
import type { ReactNode } from 'react';
import { has, type Call } from './call.ts';
import { tense, type Card, type Tenses } from './card.ts';
import { Output } from './output.tsx';

/** The card of a command of git, which gives text. */
export function gitCard(tenses: Tenses, target: Card['target'], show: (text: string) => ReactNode = written => <Output text={written} />): Card {
  return {
    icon: GitBranch,
    verb: call => tense(call, tenses),
    target,
    body: call => {
      const written = writtenBy(call);
      return written ? show(written) : undefined;
    },
  };
}

function writtenBy({ output }: Call): string | undefined {
  return has<{ text: string }>(output, { text: 'string' }) ? output.text : undefined;
}
