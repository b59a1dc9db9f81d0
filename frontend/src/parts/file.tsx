import { FileDown } from 'lucide-react';
import type { FileUIPart } from 'ai';
import { text } from '../ui/text.ts';
import { Link, safeUrl } from './markdown/link.tsx';
import type { PartProps } from './registry.tsx';

/** A file that the agent made. */
export function FilePart({ part }: PartProps<FileUIPart>) {
  const name = part.filename ?? text.file(part.mediaType);
  const href = safeUrl(part.url);
  return (
    <p className="prose flex items-center gap-2 text-sm">
      <FileDown aria-hidden className="size-4 shrink-0 text-soft" />
      {href ? <Link href={href}>{name}</Link> : <span>{name}</span>}
    </p>
  );
}
