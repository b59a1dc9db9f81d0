import { memo } from 'react';
import type { TextUIPart } from 'ai';
import { Markdown } from './markdown/markdown.tsx';
import type { PartProps } from './registry.tsx';

export const TextPart = memo(
  function TextPart({ part, live }: PartProps<TextUIPart>) {
    return <Markdown text={part.text} live={live && part.state === 'streaming'} />;
  },
  // The client makes a new part of every part with every word of the last.
  (a, b) => a.part.text === b.part.text && a.part.state === b.part.state && a.live === b.live,
);
