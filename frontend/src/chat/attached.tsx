import { File as FileIcon, Paperclip, TriangleAlert, X } from 'lucide-react';
import { useRef, type MouseEvent, type KeyboardEvent } from 'react';
import { usePicture } from '../parts/picture.tsx';
import { IconButton } from '../ui/button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { text } from '../ui/text.ts';
import type { Attached } from './draft.ts';

/** Lets files be chosen. */
export function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = ''; // the same file may be chosen again
        }}
      />
      <IconButton icon={Paperclip} label={text.attach.choose} onClick={() => input.current!.click()} />
    </>
  );
}

interface AttachedFilesProps {
  files: Attached[];
  /** Whether the agent sees what is in a file of this type, if that is known. */
  sees: (mediaType: string) => boolean | undefined;
  onDetach: (id: string) => void;
  /** Called when the last one goes, and the focus with it. */
  onNone: () => void;
}

/** What goes along with the message, above its text. */
export function AttachedFiles({ files, sees, onDetach, onNone }: AttachedFilesProps) {
  if (files.length === 0) return null;
  const remove = (id: string, chip: Element) => {
    const next = (chip.nextElementSibling ?? chip.previousElementSibling)?.querySelector('button');
    if (next) next.focus();
    else onNone();
    onDetach(id);
  };
  return (
    <ul aria-label={text.attach.title} className="flex max-h-[30dvh] flex-wrap gap-2 overflow-y-auto px-3 pt-3">
      {files.map(file => (
        <Chip key={file.id} file={file} isSeen={sees(file.mediaType) !== false} onRemove={chip => remove(file.id, chip)} />
      ))}
    </ul>
  );
}

interface ChipProps {
  file: Attached;
  isSeen: boolean;
  onRemove: (chip: Element) => void;
}

function Chip({ file, isSeen, onRemove }: ChipProps) {
  const { name, size, url, problem } = file;
  const remove = (event: MouseEvent | KeyboardEvent) => onRemove(event.currentTarget.closest('li')!);
  const about = [size !== undefined && text.bytes(size), url && !isSeen && text.attach.unseen].filter(Boolean).join(' · ');
  return (
    <li className={`flex max-w-full items-center gap-2.5 rounded-lg border py-1 ps-1 pe-1 text-sm sm:max-w-80 ${problem ? 'border-bad bg-bad-tint' : 'border-line bg-panel'}`}>
      <span className="grid size-9 shrink-0 place-items-center overflow-hidden rounded-md bg-hover text-soft">
        <Sign file={file} />
      </span>
      <span className="min-w-0 flex-1 leading-snug">
        <span title={name} className="block truncate font-medium">
          {name}
        </span>
        {problem ? (
          <span role="alert" className="block text-xs text-bad">
            {problem}
          </span>
        ) : (
          <span className="block text-xs text-soft">{about}</span>
        )}
      </span>
      <IconButton
        icon={X}
        label={text.attach.remove(name)}
        className="size-7"
        onClick={remove}
        onKeyDown={event => {
          if (event.key !== 'Delete' && event.key !== 'Backspace') return;
          event.preventDefault();
          remove(event);
        }}
      />
    </li>
  );
}

/** What a file is, or what becomes of it. */
function Sign({ file }: { file: Attached }) {
  const src = usePicture(file);
  if (file.problem) return <TriangleAlert aria-hidden className="size-4 text-bad" />;
  if (!file.url) {
    return (
      <span role="status">
        <Spinner />
        <span className="sr-only">{text.attach.sending(file.name)}</span>
      </span>
    );
  }
  return src ? <img src={src} alt="" className="size-full object-cover" /> : <FileIcon aria-hidden className="size-4" />;
}
