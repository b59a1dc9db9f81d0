import { File as FileIcon } from 'lucide-react';
import type { FileUIPart } from 'ai';
import { useParley } from '../parley.ts';
import { text } from '../ui/text.ts';
import { Link, safeUrl } from './markdown/link.tsx';
import { usePicture } from './picture.tsx';
import type { PartProps } from './registry.tsx';

/** A file that the person attached or the agent made. Pictures are shown, if nobody elsewhere learns of it. */
export function FilePart({ part }: Pick<PartProps<FileUIPart>, 'part'>) {
  const { dialogs } = useParley();
  const name = part.filename || text.file(part.mediaType);
  const src = usePicture(part);
  if (!src) return <Named name={name} href={safeUrl(part.url)} />;
  return (
    <button type="button" title={name} aria-label={text.enlarge(name)} onClick={() => dialogs.showPicture(name, part)} className="max-w-full rounded-lg">
      <img src={src} alt={name} className="max-h-80 max-w-full cursor-zoom-in rounded-lg border border-line object-contain" />
    </button>
  );
}

function Named({ name, href }: { name: string; href: string }) {
  return (
    <p className="prose flex max-w-full items-center gap-2 rounded-lg border border-line bg-raised px-3 py-1.5 text-sm">
      <FileIcon aria-hidden className="size-4 shrink-0 text-soft" />
      {href ? <Link href={href}>{name}</Link> : <span className="min-w-0 truncate">{name}</span>}
    </p>
  );
}
