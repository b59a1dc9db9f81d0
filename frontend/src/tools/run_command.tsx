import { SquareTerminal } from 'lucide-react';
import { text } from '../ui/text.ts';
import { argument, has, isTexts, type Call } from './call.ts';
import { tense, type Card } from './card.ts';
import { LiveTerminal, Terminal } from './terminal_view.tsx';

/** What backend/tool/run_command.go gives, and what of it others give, too. */
interface RunCommand {
  stdout: string;
  stderr: string;
  exitCode?: number;
  timedOut?: boolean;
}

/** The command that a call runs, if it runs one: as one line, or as its words. */
export function commandOf(input: unknown): string | undefined {
  const given = input as Record<string, unknown> | null | undefined;
  for (const name of ['command', 'cmd']) {
    const command = given?.[name];
    if (isTexts(command)) return command.join(' ');
    if (typeof command === 'string') return [command, ...(isTexts(given?.args) ? given.args : [])].join(' ');
  }
  return undefined;
}

/** A command, and what it wrote, as a terminal shows it. */
export const runCommand: Card = {
  icon: SquareTerminal,
  verb: call => tense(call, text.tool.other),
  target: call => commandOf(call.input)?.split('\n', 1)[0],
  meta: call => {
    const ended = dataOf(call);
    const how = ended && text.tool.ended(ended.timedOut === true, argument(ended, 'signal'), ended.exitCode ?? 0);
    return how && <span className="text-warn">{how}</span>;
  },
  live: call => (typeof call.output === 'string' && call.output.trim() ? <LiveTerminal written={call.output} /> : undefined),
  body: call => {
    const written = writtenBy(call);
    return written === undefined ? undefined : <Terminal written={`$ ${commandOf(call.input) ?? ''}\n${written}`} />;
  },
};

function writtenBy(call: Call): string | undefined {
  const { output, error } = call;
  if (error !== undefined) return error;
  if (output === undefined || output === null) return '';
  if (typeof output === 'string') return output;
  const data = dataOf(call);
  return data && [data.stdout.replace(/\n$/, ''), data.stderr].filter(Boolean).join('\n');
}

function dataOf({ output }: Call): RunCommand | undefined {
  return has<{ stdout: string; stderr: string }>(output, { stdout: 'string', stderr: 'string' }) ? output : undefined;
}
