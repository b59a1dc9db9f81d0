import { Dialog } from './dialog.tsx';
import { printed, shortcuts } from './keys.ts';
import { text } from './text.ts';

export default function ShortcutsDialog() {
  return (
    <Dialog title={text.keys.title}>
      <dl className="mt-3 grid grid-cols-[1fr_auto] items-center gap-y-2 text-sm">
        {Object.entries(shortcuts).map(([name, { keys, label }]) => (
          <div key={name} className="contents">
            <dt>{label}</dt>
            <dd className="flex gap-1 justify-self-end">
              {printed(keys[0]).map(key => (
                <kbd key={key} className="min-w-6 rounded border border-line-strong bg-sunken px-1.5 text-center font-sans text-xs leading-5 text-soft">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 border-t border-line pt-3 text-xs text-faint">{text.keys.composerHint}</p>
    </Dialog>
  );
}
