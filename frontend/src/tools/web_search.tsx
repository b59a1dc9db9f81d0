import { Search } from 'lucide-react';
import { Link, safeUrl } from '../parts/markdown/link.tsx';
import { text } from '../ui/text.ts';
import { argument, has, isListOf, type Call } from './call.ts';
import { tense, type Card } from './card.ts';

/** What backend/tool/web_search.go gives. */
interface WebSearch {
  results: Result[];
}

interface Result {
  title: string;
  url: string;
  text: string;
}

export const webSearch: Card = {
  icon: Search,
  verb: call => tense(call, text.tool.search),
  target: call => argument(call.input, 'query'),
  meta: call => {
    const data = dataOf(call);
    return data && text.tool.results(data.results.length);
  },
  body: call => {
    const data = dataOf(call);
    if (!data) return undefined;
    if (data.results.length === 0) return <p className="text-sm text-faint">{text.tool.noMatches}</p>;
    return (
      <ol className="flex flex-col gap-3 text-sm">
        {data.results.map((result, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- what was found does not change
          <li key={i} className="min-w-0">
            <div className="truncate font-medium [&_a]:underline">
              <Link href={safeUrl(result.url)}>{result.title || result.url}</Link>
            </div>
            <div className="truncate text-xs text-faint">{result.url}</div>
            <p className="text-soft">{result.text}</p>
          </li>
        ))}
      </ol>
    );
  },
};

function dataOf({ output }: Call): WebSearch | undefined {
  const isOurs = has<WebSearch>(output, { results: 'object' });
  return isOurs && isListOf<Result>(output.results, { title: 'string', url: 'string', text: 'string' }) ? output : undefined;
}
