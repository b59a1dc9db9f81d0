import { LockKeyhole, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SlotType, Vault } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import type { KeyStep } from '../ui/dialogs.ts';
import { Select } from '../ui/select.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { useAttempt } from './attempt.ts';
import { DeleteEverything } from './erase.tsx';
import { Problem } from './form.tsx';
import { NewPassphrase } from './passphrase.tsx';
import { ChangeKey } from './rotate.tsx';
import { SaveCode } from './save.tsx';

/** The dialog about the key of the history. */
export default function Key() {
  const { dialogs, vault } = useParley();
  const step = useStore(dialogs, ({ dialog }) => (dialog?.kind === 'key' ? dialog.step : undefined));
  const now = useStore(vault, state => state.vault);
  if (!step || !now) return null;
  return (
    <Dialog title={titles[step]} isKept={step === 'code'}>
      {step === 'ways' && <Ways vault={now} />}
      {step === 'code' && <SaveCode replaces={now.slots.includes('recovery_code')} />}
      {step === 'passphrase' && <ChangePassphrase />}
      {step === 'rotate' && <ChangeKey slots={now.slots} />}
      {step === 'erase' && <DeleteEverything />}
    </Dialog>
  );
}

const titles: Record<KeyStep, string> = {
  ways: text.vault.key.title,
  code: text.vault.code.label,
  passphrase: text.vault.passphrase.label,
  rotate: text.vault.rotate.title,
  erase: text.vault.erase.title,
};

/** After how long without anybody the history may lock itself; 0 is never. */
const usualMinutes = [0, 5, 15, 60];

/** What opens the history, and what can be changed about that. */
function Ways({ vault: { slots, keychain, lockAfter } }: { vault: Vault }) {
  const { vault, open, dialogs, toasts } = useParley();
  const attempt = useAttempt();
  const has = (way: SlotType) => slots.includes(way);
  const remove = async () => {
    if (await attempt.run(() => vault.removePassphrase())) toasts.show(text.vault.passphrase.isRemoved);
  };
  const times = [...new Set([...usualMinutes, lockAfter])].map(minutes => [String(minutes), text.vault.key.lockTime(minutes)] as const);
  const lockWhenIdle = (minutes: string) => void attempt.run(() => vault.setLockAfter(Number(minutes)));
  const lock = async () => {
    await open.flushDrafts();
    await vault.lock();
  };
  return (
    <>
      <p className="mt-3 text-sm text-soft">{text.vault.key.says}</p>
      <ul className="mt-2 divide-y divide-line text-sm">
        <Row name={text.vault.key.keychain} value={has('keychain') ? keychain.kind || text.vault.key.yes : text.vault.key.none} />
        <Row name={text.vault.code.label} value={has('recovery_code') ? text.vault.key.yes : text.vault.key.none}>
          <Button data-focus onClick={() => dialogs.showKey('code')}>
            {has('recovery_code') ? text.vault.key.replace : text.vault.key.save}
          </Button>
        </Row>
        <Row name={text.vault.passphrase.label} value={has('passphrase') ? text.vault.key.yes : text.vault.key.none}>
          {/* Without it only the recovery code would be left, at every start. */}
          {has('passphrase') && has('keychain') && (
            <Button disabled={attempt.isRunning} onClick={() => void remove()}>
              {text.vault.key.remove}
            </Button>
          )}
          <Button onClick={() => dialogs.showKey('passphrase')}>{has('passphrase') ? text.vault.key.change : text.vault.key.set}</Button>
        </Row>
        {has('passphrase') && (
          <Row name={text.vault.key.lockAfter}>
            <Select label={text.vault.key.lockAfter} value={String(lockAfter)} options={times} onChoose={lockWhenIdle} className="h-8" />
          </Row>
        )}
      </ul>
      <Problem error={attempt.error} />
      <div className="mt-4 flex flex-wrap gap-2">
        {has('passphrase') && (
          <Button disabled={attempt.isRunning} onClick={() => void attempt.run(lock)}>
            <LockKeyhole aria-hidden className="size-3.5" /> {text.vault.key.lock}
          </Button>
        )}
        <Button onClick={() => dialogs.showKey('rotate')}>
          <RefreshCw aria-hidden className="size-3.5" /> {text.vault.rotate.title}
        </Button>
        <Button className="ms-auto text-bad" onClick={() => dialogs.showKey('erase')}>
          {text.vault.erase.title}
        </Button>
      </div>
    </>
  );
}

function Row({ name, value, children }: { name: string; value?: string; children?: ReactNode }) {
  return (
    <li className="flex min-h-12 items-center gap-2 py-2">
      <p className="me-auto min-w-0">
        <span className="block font-medium">{name}</span>
        {value && <span className="block truncate text-soft">{value}</span>}
      </p>
      {children}
    </li>
  );
}

function ChangePassphrase() {
  const { vault, dialogs, toasts } = useParley();
  const set = async (passphrase: string) => {
    await vault.setPassphrase(passphrase);
    dialogs.close();
    toasts.show(text.vault.passphrase.isSet);
  };
  return (
    <div className="mt-3">
      <NewPassphrase label={text.vault.passphrase.set} onChosen={set} />
    </div>
  );
}
