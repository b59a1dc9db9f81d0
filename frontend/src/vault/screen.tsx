import { LockKeyhole, TriangleAlert } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import type { SlotType, State, Vault } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Connection } from '../ui/connection.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { text } from '../ui/text.ts';
import { useAttempt } from './attempt.ts';
import { Form, Problem, typedIn } from './form.tsx';
import { NewPassphrase } from './passphrase.tsx';
import { givenIn, Secrets } from './secrets.tsx';
import { Unlock, waysOf } from './ways.tsx';

/** The whole page while the history is not open: why, and what to do. */
export default function VaultScreen({ vault }: { vault: Vault }) {
  const isFirst = vault.state === 'no_keychain' && vault.slots.length === 0;
  if (isFirst) return <FirstPassphrase vault={vault} />;
  const met = asMet(vault);
  return <Closed key={met.state} vault={met} />;
}

/** To the door a key that it cannot get is gone. A person has to know first that the keychain did not even answer. */
function asMet(vault: Vault): Vault {
  const isUnknown = vault.state === 'needs_recovery_code' && vault.keychain.health === 'absent';
  return isUnknown ? { ...vault, state: 'no_keychain' } : vault;
}

/** A machine without a keychain, and without a history. */
function FirstPassphrase({ vault }: { vault: Vault }) {
  const { vault: live, dialogs } = useParley();
  const choose = async (passphrase: string, form: HTMLFormElement) => {
    const withCode = typedIn(form, 'withCode');
    await live.setPassphrase(passphrase);
    if (withCode) dialogs.showKey('code');
  };
  return (
    <Sheet title={text.vault.first.title}>
      <p>{text.vault.first.says}</p>
      <NewPassphrase label={text.vault.first.done} onChosen={choose}>
        <label className="flex items-center gap-2 text-sm">
          <input type="checkbox" name="withCode" defaultChecked className="size-4 accent-(--accent)" />
          {text.vault.first.withCode}
        </label>
      </NewPassphrase>
      {vault.keychain.remedy && (
        <Disclosure icon={null} label={text.vault.first.why}>
          <p className="mb-3 text-sm">{vault.keychain.remedy}</p>
          <Unlock way="keychain" state={vault.state} />
        </Disclosure>
      )}
    </Sheet>
  );
}

/** States in which what is there may never be read again. In the others it is enough to wait, or to install what can. */
const lost: State[] = ['needs_recovery_code', 'needs_passphrase', 'no_keychain', 'damaged', 'unreadable'];

function Closed({ vault }: { vault: Vault }) {
  const ways = waysOf(vault);
  const [chosen, choose] = useState<SlotType>();
  const way = chosen && ways.includes(chosen) ? chosen : ways[0];
  return (
    <Sheet title={text.vault.title[vault.state]} isBroken={!isExplained(vault.state)}>
      <Explanation vault={vault} />
      <Unlock key={way} way={way} state={vault.state} />
      <div className="grid justify-items-start gap-1 border-t border-line pt-3 empty:hidden">
        {ways
          .filter(other => other !== way)
          .map(other => (
            <button key={other} type="button" onClick={() => choose(other)} className="py-1 text-sm text-accent hover:underline">
              {text.vault.use[other]}
            </button>
          ))}
        {vault.state === 'damaged' && <SalvageHistory slots={vault.slots} />}
        {lost.includes(vault.state) && <StartNew />}
      </div>
    </Sheet>
  );
}

const isExplained = (state: State): state is keyof typeof text.vault.says => state in text.vault.says;

/** What the page can say better because it knows what comes next, or else what the door says. */
function Explanation({ vault: { state, keychain, message, remedy } }: { vault: Vault }) {
  if (isExplained(state)) return <p>{state === 'locked' ? text.vault.says.locked(keychain.kind) : text.vault.says[state]}</p>;
  return [message, remedy].filter(Boolean).map(sentence => <p key={sentence}>{sentence}</p>);
}

/** What the keychain does not open needs one of the other ways. */
function SalvageHistory({ slots }: { slots: SlotType[] }) {
  const { vault } = useParley();
  const attempt = useAttempt();
  const asked = slots.includes('keychain') ? [] : slots.filter((slot, _, all) => slot === 'passphrase' || !all.includes('passphrase'));
  return (
    <Disclosure icon={null} label={text.vault.salvage.offer}>
      <p className="mb-3 text-sm">{text.vault.salvage.says}</p>
      <Form attempt={attempt} onSubmit={form => void attempt.run(() => vault.salvage(givenIn(form)))} label={text.vault.salvage.do}>
        <Secrets asked={asked} attempt={attempt} />
      </Form>
    </Disclosure>
  );
}

/** The last resort, which takes nothing away. */
function StartNew() {
  const { vault } = useParley();
  const attempt = useAttempt();
  return (
    <Disclosure icon={null} label={text.vault.startNew.offer}>
      <div className="grid justify-items-start gap-3 text-sm">
        <p>{text.vault.startNew.says}</p>
        <Problem error={attempt.error} />
        <Button disabled={attempt.isRunning} onClick={() => void attempt.run(() => vault.startNew())}>
          {text.vault.startNew.do}
        </Button>
      </div>
    </Disclosure>
  );
}

function Sheet({ title, isBroken = false, children }: { title: string; isBroken?: boolean; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} — ${text.name}`;
  }, [title]);
  const Icon = isBroken ? TriangleAlert : LockKeyhole;
  return (
    <main className="relative h-dvh overflow-y-auto">
      <Connection />
      <div className="mx-auto flex min-h-full max-w-md flex-col justify-center gap-4 p-6 text-soft">
        <Icon aria-hidden className={`size-8 ${isBroken ? 'text-warn' : 'text-accent'}`} strokeWidth={1.5} />
        <h1 className="text-xl font-semibold tracking-tight text-ink">{title}</h1>
        {children}
      </div>
    </main>
  );
}
