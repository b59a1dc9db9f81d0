import { Plug } from 'lucide-react';
import { text } from '../ui/text.ts';
import { argument, has, type Call } from './call.ts';
import { tense, type Card } from './card.ts';
import { InputAndOutput } from './generic.tsx';
import { Json } from './json.tsx';
import { Output } from './output.tsx';

interface Shown {
  server: string;
  tool: string;
  content: unknown[];
  structured?: unknown;
}

/** What a tool of an MCP server gave, where that is more than text. */
export function shownIn({ output }: Call): Shown | undefined {
  const isShown = has<Omit<Shown, 'structured'>>(output, { server: 'string', tool: 'string', content: 'object' });
  return isShown && Array.isArray(output.content) ? output : undefined;
}

export const mcp: Card = {
  icon: Plug,
  verb: call => tense(call, text.tool.other),
  target: call => {
    const { server, tool } = shownIn(call)!;
    return `${server} · ${tool}`;
  },
  body: call => {
    const { content, structured } = shownIn(call)!;
    return (
      <div className="flex flex-col gap-3">
        <InputAndOutput call={{ ...call, output: undefined }} />
        {content.map((piece, i) => (
          <PieceView key={i} piece={piece} />
        ))}
        {structured !== undefined && <Json value={structured} />}
      </div>
    );
  },
};

/** Types that a page shows as a picture and nothing else. */
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** A piece of what a tool gave. Servers of others say it: of what it has, only texts count. */
function PieceView({ piece }: { piece: unknown }) {
  const [type, said, mimeType = '', data, uri, name] = ['type', 'text', 'mimeType', 'data', 'uri', 'name'].map(member => argument(piece, member));
  const source = `data:${mimeType};base64,${data}`; // data is in base64
  if (type === 'image' && data && pictures.includes(mimeType)) return <img src={source} alt={text.tool.picture} className="max-h-80 max-w-full self-start rounded-md border border-line" />;
  return (
    <div className="min-w-0 text-sm">
      {(name || uri) && (
        <p dir="ltr" className="font-mono text-xs break-all text-faint">
          {[name, uri].filter(Boolean).join(' · ')}
        </p>
      )}
      {said ? <Output text={said} /> : <p className="text-soft">{mimeType}</p>}
    </div>
  );
}
