import { WrapText } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { CopyButton } from '../../ui/copy.tsx';
import { IconButton } from '../../ui/button.tsx';
import { text } from '../../ui/text.ts';
import { useView } from '../../ui/view.ts';

/** Beyond this it takes longer than a frame. */
const mostHighlighted = 40_000;

type Highlight = typeof import('./highlight.ts').highlight;

let highlight: Highlight | undefined; // loaded with the first code that needs it

/** A block of code. One that is still being written is not highlighted: each word could turn the colours of the rest. */
export function Code({ code, language, open }: { code: string; language: string | undefined; open: boolean }) {
  const [view, setView] = useView();
  const html = useHighlighted(code, open ? undefined : language);
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex h-8 items-center gap-1 border-b border-line ps-3 pe-1 text-xs text-soft">
        <span className="me-auto font-mono">{language ?? text.code.plain}</span>
        <IconButton
          icon={WrapText}
          label={text.code.wrap}
          aria-pressed={view.wrap}
          onClick={() => setView({ wrap: !view.wrap })}
          className="size-6"
        />
        <CopyButton content={() => code} label={text.code.copy} className="size-6" />
      </figcaption>
      <pre
        dir="ltr"
        className={`overflow-x-auto px-3 py-2.5 font-mono text-code ${view.wrap ? 'break-words whitespace-pre-wrap' : ''}`}
        tabIndex={0}
        aria-label={text.code.label(language)}
      >
        {/* What the highlighter gives is the code, escaped, in spans of its own making. */}
        {html === undefined ? <PlainCode code={code} /> : <code dangerouslySetInnerHTML={{ __html: html }} />}
      </pre>
    </figure>
  );
}

/** Code without colours. It stands in boxes of many lines each, so that with every new line only the last is laid out. */
function PlainCode({ code }: { code: string }) {
  return (
    <code>
      {boxes(code).map((lines, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines are only ever added at the end
        <span key={i} className="block">
          {lines}
        </span>
      ))}
    </code>
  );
}

const boxLength = 4_000;

function boxes(code: string): string[] {
  const cuts: string[] = [];
  let start = 0;
  for (let end = code.indexOf('\n', boxLength) + 1; end > 0; end = code.indexOf('\n', start + boxLength) + 1) {
    cuts.push(code.slice(start, end));
    start = end;
  }
  return [...cuts, code.slice(start)];
}

function useHighlighted(code: string, language: string | undefined): string | undefined {
  const [loaded, setLoaded] = useState(highlight !== undefined);
  const wanted = language !== undefined && code.length <= mostHighlighted;
  useEffect(() => {
    if (!wanted || loaded) return;
    let isMounted = true;
    void import('./highlight.ts').then(module => {
      highlight = module.highlight;
      if (isMounted) setLoaded(true);
    });
    return () => void (isMounted = false);
  }, [wanted, loaded]);
  return useMemo(() => (wanted && loaded ? highlight?.(code, language) : undefined), [code, language, wanted, loaded]);
}
