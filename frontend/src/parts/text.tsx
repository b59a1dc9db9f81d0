import type { TextUIPart } from 'ai';
import { Markdown } from './markdown/markdown.tsx';
import type { PartProps } from './registry.tsx';

/** What the agent says. A part is nothing to compare: the client goes on writing into the first one that it gives. */
export function TextPart({ part, live }: PartProps<TextUIPart>) {
  return <Markdown text={part.text} live={live && part.state === 'streaming'} />;
}
