import { useEffect, useState } from 'react';
import { useParley } from '../parley.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useStore } from '../ui/store.ts';

/** What browsers show as a picture, and never run. */
const picture = /^image\/(?:png|jpeg|gif|webp|bmp)$/;

/** A file that may be a picture. */
export interface Pictured {
  url?: string;
  mediaType: string;
}

/**
 * Where a picture can be shown from, once it is here. What lies behind the door is fetched: an image of its own cannot show
 * who it is.
 */
export function usePicture({ url = '', mediaType }: Pictured): string | undefined {
  const { client } = useParley();
  const [src, show] = useState<string>();
  const isPicture = picture.test(mediaType);
  const isStored = isPicture && url.startsWith('/media/');
  useEffect(() => {
    if (!isStored) return;
    const left = new AbortController();
    let made: string | undefined;
    const take = (content: Blob) => {
      if (!left.signal.aborted) show((made = URL.createObjectURL(content)));
    };
    client.media(url, left.signal).then(take, () => {}); // without it, its name is shown
    return () => {
      left.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [client, url, isStored]);
  if (isStored) return src;
  return isPicture && url.startsWith('data:') ? url : undefined;
}

/** The picture that is looked at closely, if one is. */
export function PictureDialog() {
  const { dialogs } = useParley();
  const shown = useStore(dialogs, ({ dialog }) => (dialog?.kind === 'picture' ? dialog : undefined));
  return shown && <Picture {...shown} />;
}

function Picture({ name, file }: { name: string; file: Pictured }) {
  return (
    <Dialog title={name} fits>
      <img src={usePicture(file)} alt={name} className="mt-3 max-h-[calc(100dvh-8rem)] max-w-full object-contain" />
    </Dialog>
  );
}
