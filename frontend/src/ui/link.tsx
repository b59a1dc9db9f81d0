import { useParley } from '../parley.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { useStore } from './store.ts';
import { text } from './text.ts';

/** An address that an agent, or a file, wants to be opened. */
export default function LinkDialog() {
  const { dialogs, host } = useParley();
  const url = useStore(dialogs, ({ dialog }) => (dialog?.kind === 'link' ? dialog.url : ''));
  return (
    <Dialog title={text.link.title}>
      <div className="mt-3 flex items-start gap-1 rounded-md border border-line bg-sunken py-1.5 ps-3 pe-1">
        <code dir="ltr" className="max-h-40 min-w-0 flex-1 overflow-y-auto py-1 font-mono text-code break-all">
          {url}
        </code>
        <CopyButton content={() => url} label={text.copy(text.link.address)} className="size-7" />
      </div>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={() => dialogs.close()}>{text.cancel}</Button>
        <Button
          look="strong"
          data-focus
          onClick={() => {
            host.openLink(url);
            dialogs.close();
          }}
        >
          {text.link.open}
        </Button>
      </div>
    </Dialog>
  );
}
