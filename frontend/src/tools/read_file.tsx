import { FileText } from 'lucide-react';
import { text } from '../ui/text.ts';
import { has, pathOf, type Call } from './call.ts';
import { tense, type Card } from './card.ts';
import { Output } from './output.tsx';

/** What backend/tool/read_file.go gives. */
interface ReadFile {
  path: string;
  text: string;
  from: number;
  lines: number;
  total: number;
  truncated: boolean;
}

export const readFile: Card = {
  icon: FileText,
  verb: call => tense(call, text.tool.read),
  target: call => pathOf(call.input),
  meta: call => {
    const data = dataOf(call);
    return data && text.tool.linesRead(data.from, data.lines, data.total);
  },
  body: call => {
    const data = dataOf(call);
    if (!data) return undefined;
    return data.total === 0 ? <p className="text-sm text-faint">{text.tool.emptyFile}</p> : <Output text={data.text} from={data.from} />;
  },
};

function dataOf({ output }: Call): ReadFile | undefined {
  const isOurs = has<ReadFile>(output, { path: 'string', text: 'string', from: 'number', lines: 'number', total: 'number', truncated: 'boolean' });
  return isOurs ? output : undefined;
}
