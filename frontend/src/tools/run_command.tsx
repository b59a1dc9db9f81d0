import { SquareTerminal } from 'lucide-react';
import { text } from '../ui/text.ts';
import { has, type Call } from './call.ts';
import { tense, type Card } from './card.ts';
import { Output } from './output.tsx';
import { plain } from './terminal.ts';

/** The command that a call runs, if it runs one: as one line, or as its words. */
export function commandOf(input: unknown): string | undefined {
  for (const name of ['command', 'cmd']) {
    const command = (input as Record<string, unknown> | null | undefined)?.[name];
    if (typeof command === 'string') return command;
    if (Array.isArray(command) && command.every(word => typeof word === 'string')) return command.join(' ');
  }
  return undefined;
}

/** A command, and what it wrote, as a terminal shows it. */
export const runCommand: Card = {
  icon: SquareTerminal,
  verb: call => tense(call, text.tool.other),
  target: call => commandOf(call.input)?.split('\n', 1)[0],
  body: call => {
    const written = writtenBy(call);
    return written === undefined ? undefined : <Output text={plain(`$ ${commandOf(call.input) ?? ''}\n${written}`)} />;
  },
};

function writtenBy({ output, error }: Call): string | undefined {
  if (error !== undefined) return error;
  if (output === undefined || output === null) return '';
  if (typeof output === 'string') return output;
  if (has<{ stdout: string; stderr: string }>(output, { stdout: 'string', stderr: 'string' })) return [output.stdout, output.stderr].filter(Boolean).join('\n');
  return undefined;
}
