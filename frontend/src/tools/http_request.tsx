import { Globe } from 'lucide-react';
import { text } from '../ui/text.ts';
import { argument, has, isTexts, type Call } from './call.ts';
import { tense, type Card } from './card.ts';
import { Output } from './output.tsx';

/** What backend/tool/http_request.go gives. */
interface HttpRequest {
  status: string;
  type: string;
  headers: string[];
  body: string;
  bytes: number;
}

export const httpRequest: Card = {
  icon: Globe,
  verb: call => tense(call, text.tool.request),
  target: call => [argument(call.input, 'method'), argument(call.input, 'url')].filter(Boolean).join(' ') || undefined,
  meta: call => {
    const data = dataOf(call);
    return data && <span className={Number.parseInt(data.status) < 400 ? '' : 'text-warn'}>{data.status}</span>;
  },
  body: call => {
    const data = dataOf(call);
    if (!data) return undefined;
    return (
      <div className="flex flex-col gap-2">
        <Output text={[data.status, ...data.headers].join('\n')} />
        {data.body ? <Output text={data.body} /> : data.bytes > 0 && <p className="text-sm text-faint">{text.tool.notText(data.type, data.bytes)}</p>}
      </div>
    );
  },
};

function dataOf({ output }: Call): HttpRequest | undefined {
  const isOurs = has<HttpRequest>(output, { status: 'string', type: 'string', headers: 'object', body: 'string', bytes: 'number' });
  return isOurs && isTexts(output.headers) ? output : undefined;
}
