import { memo, useState } from 'react';
import { useFold } from '../../ui/fold.ts';
import { cut, type Section } from './cut.ts';
import { SectionView } from './section.tsx';

/** Beyond this a text is rendered in pieces even if that costs it its footnotes. */
const mostAtOnce = 32_000;

const empty: Section[] = [[]];

/**
 * What an agent said. While it streams only its last piece is rendered anew; of a long text that is there from the start,
 * what is far from the view is not rendered before it comes near.
 */
export const Markdown = memo(function Markdown({ text, live }: { text: string; live: boolean }) {
  const { done, open, defines } = useFold(text, cut);
  const [wasLive] = useState(live);
  const atOnce = !live && defines && text.length <= mostAtOnce;
  const sections = atOnce || done.length === 0 ? empty : done;
  const last = sections.length - 1;
  return (
    <div className="prose" dir="auto">
      {sections.map((pieces, i) => (
        <SectionView
          // Sections are only ever added at the end.
          // oxlint-disable-next-line react/no-array-index-key
          key={i}
          pieces={pieces}
          rest={i < last ? '' : atOnce ? text : open}
          live={live && i === last}
          lazy={!wasLive && i !== 0 && i !== last}
        />
      ))}
    </div>
  );
});
