import type { SourceDocumentUIPart, SourceUrlUIPart } from 'ai';
import { BookOpen, FileText } from 'lucide-react';
import type { Part } from '../chat/message.ts';
import { Disclosure } from '../ui/disclosure.tsx';
import { text } from '../ui/text.ts';
import { Link, safeUrl } from './markdown/link.tsx';

type Source = SourceUrlUIPart | SourceDocumentUIPart;

export function isSource(part: Part): part is Source {
  return part.type === 'source-url' || part.type === 'source-document';
}

/** What the agent drew on. */
export function Sources({ parts }: { parts: Part[] }) {
  const sources = parts.filter(isSource);
  return (
    <Disclosure icon={<BookOpen aria-hidden className="size-4 shrink-0" />} label={text.sources(sources.length)}>
      <ul className="prose flex flex-col gap-1 text-sm">
        {sources.map(source => (
          <li key={source.sourceId} className="break-words">
            <SourceLine source={source} />
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}

function SourceLine({ source }: { source: Source }) {
  if (source.type === 'source-url') {
    const href = safeUrl(source.url);
    const title = source.title || source.url;
    return href ? <Link href={href}>{title}</Link> : title;
  }
  return (
    <span className="inline-flex items-center gap-2">
      <FileText aria-label={text.file(source.mediaType)} className="size-4 shrink-0 text-soft" />
      {source.title}
      {source.filename && <code className="font-mono text-faint">{source.filename}</code>}
    </span>
  );
}
