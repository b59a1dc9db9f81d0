import { Check, Minus } from 'lucide-react';
import type { Ability, Harness } from '../api/types.gen.ts';
import { newSessionId } from '../chat/sessions.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { goTo } from '../ui/route.ts';
import { Select } from '../ui/select.tsx';
import { text } from '../ui/text.ts';
import { useView } from '../ui/view.ts';
import { harnessText } from './text.ts';

/** One program: what it is, whether it can be used, and what to do if not. */
export function HarnessRow({ harness }: { harness: Harness }) {
  const { name, state, version, description, path, can } = harness;
  const isReady = state === 'ready';
  return (
    <li className="py-3 text-sm">
      <div className="flex items-start gap-3">
        <div className="me-auto min-w-0">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium">{name}</span>
            {version && <span className="font-mono text-xs text-faint">{version}</span>}
            {state !== 'missing' && <span className={`text-xs ${isReady ? 'text-good' : 'text-warn'}`}>{harnessText.state[state]}</span>}
          </p>
          <p className="text-soft">{description}</p>
        </div>
        {isReady && <Try harness={harness} />}
      </div>
      {isReady ? <Account harness={harness} /> : <Remedy harness={harness} />}
      {isReady && can.length > 0 && (
        <Disclosure icon={null} label={harnessText.abilities}>
          <ul className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
            {abilities.map(ability => (
              <Can key={ability} ability={ability} can={can.includes(ability)} />
            ))}
          </ul>
          {path && <p className="mt-2 font-mono text-xs break-all text-faint">{path}</p>}
        </Disclosure>
      )}
    </li>
  );
}

const abilities = Object.keys(harnessText.can) as Ability[];

function Can({ ability, can }: { ability: Ability; can: boolean }) {
  const Icon = can ? Check : Minus;
  return (
    <li className={`flex gap-2 ${can ? '' : 'text-faint'}`}>
      <Icon aria-label={can ? harnessText.yes : harnessText.no} className={`mt-0.5 size-4 shrink-0 ${can ? 'text-good' : ''}`} />
      {harnessText.can[ability]}
    </li>
  );
}

/** A new session with the program's agent, and a first message. */
function Try({ harness: { name, agent } }: { harness: Harness }) {
  const { open, dialogs, view } = useParley();
  const start = () => {
    const session = open.get(newSessionId(), { isNew: true });
    session.draft.edit(harnessText.hello);
    void session.send(agent, { login: view.loginOf(agent) });
    goTo(session.id);
    dialogs.close();
  };
  return (
    <Button className="shrink-0" aria-label={harnessText.tryNamed(name)} onClick={start}>
      {harnessText.try}
    </Button>
  );
}

/** Whose account the program works with. There is a choice where it can be given a key. */
function Account({ harness: { name, agent, login, model } }: { harness: Harness }) {
  const [{ ownLogins }, change] = useView();
  if (login === 'own') return <p className="mt-1 text-soft">{harnessText.login.only}</p>;
  const others = ownLogins.filter(id => id !== agent);
  return (
    <Select
      label={harnessText.login.label(name)}
      value={ownLogins.includes(agent) ? 'own' : 'key'}
      options={[
        ['key', harnessText.login.key(model ?? '')],
        ['own', harnessText.login.own],
      ]}
      onChoose={chosen => change({ ownLogins: chosen === 'own' ? [...others, agent] : others })}
      className="mt-1 -ms-2 h-7 w-fit max-w-full"
    />
  );
}

function Remedy({ harness: { state, oldest, problem, remedy, install } }: { harness: Harness }) {
  const says = state === 'too_old' ? harnessText.needs(oldest ?? '') : problem;
  return (
    <div className="mt-1 text-soft">
      {says && <p className="break-words">{says}</p>}
      {install ? (
        <div className="mt-1 flex items-center rounded-md border border-line bg-sunken ps-3 pe-1">
          <code dir="ltr" className="min-w-0 flex-1 py-1 font-mono text-code break-all text-ink">
            {install}
          </code>
          <CopyButton content={() => install} label={text.copy(harnessText.command)} className="size-7" />
        </div>
      ) : (
        <p>{remedy}</p>
      )}
    </div>
  );
}
