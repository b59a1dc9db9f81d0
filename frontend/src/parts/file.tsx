import { FileDown } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { FileUIPart } from 'ai';
import { useParley } from '../parley.ts';
import { text } from '../ui/text.ts';
import { Link, safeUrl } from './markdown/link.tsx';
import type { PartProps } from './registry.tsx';

/** What browsers show as a picture, and never run. */
const picture = /^image\/(?:png|jpeg|gif|webp|bmp)$/;

/** A file that the person attached or the agent made. Pictures are shown, if nobody elsewhere learns of it. */
export function FilePart({ part }: Pick<PartProps<FileUIPart>, 'part'>) {
  const name = part.filename ?? text.file(part.mediaType);
  if (picture.test(part.mediaType)) {
    if (part.url.startsWith('data:')) return <Picture src={part.url} name={name} />;
    if (part.url.startsWith('/media/')) return <StoredPicture address={part.url} name={name} />;
  }
  return <Named name={name} href={safeUrl(part.url)} />;
}

/** A picture that lies behind the door: an image of its own cannot show who it is. */
function StoredPicture({ address, name }: { address: string; name: string }) {
  const { client } = useParley();
  const [src, show] = useState<string>();
  useEffect(() => {
    const left = new AbortController();
    let made: string | undefined;
    const take = (content: Blob) => {
      if (!left.signal.aborted) show((made = URL.createObjectURL(content)));
    };
    client.media(address, left.signal).then(take, () => {}); // without it, its name is shown
    return () => {
      left.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [client, address]);
  return src ? <Picture src={src} name={name} /> : <Named name={name} href="" />;
}

function Picture({ src, name }: { src: string; name: string }) {
  return <img src={src} alt={name} title={name} className="max-h-80 max-w-full rounded-lg border border-line object-contain" />;
}

function Named({ name, href }: { name: string; href: string }) {
  return (
    <p className="prose flex items-center gap-2 text-sm">
      <FileDown aria-hidden className="size-4 shrink-0 text-soft" />
      {href ? <Link href={href}>{name}</Link> : <span>{name}</span>}
    </p>
  );
}
