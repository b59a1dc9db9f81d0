import { useState, type FormEvent } from 'react';
import type { Mode, Permission, Rule } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { References } from '../secrets/picker.tsx';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { useStore } from '../ui/store.ts';
import { idFor } from '../ui/id.ts';
import { text } from '../ui/text.ts';
import { isProgram, runCommand, toDetails, type Draft } from './draft.ts';
import { Cell, Checks, Choice, Field, Group, LongField, Rows } from '../ui/fields.tsx';
import { OwnTools, Pairs, references } from './tools.tsx';
import { OwnServers, Servers } from './servers.tsx';
import { agentsText } from './text.ts';

const said = agentsText.editor;

interface EditorProps {
  initial: Draft;
  /** Whether there is such an agent already. */
  isKnown: boolean;
  onDone: () => void;
}

/** The form of an agent. */
export function Editor({ initial, isKnown, onDone }: EditorProps) {
  const { agents } = useParley();
  const choices = useStore(agents, state => state.choices);
  const [draft, set] = useState(initial);
  const [isSaving, saving] = useState(false);
  const [problems, fail] = useState<string[]>([]);
  const change = (changed: Partial<Draft>) => set({ ...draft, ...changed });
  const rename = (name: string) => change(isKnown || draft.id !== idFor(draft.name) ? { name } : { name, id: idFor(name) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    if (!isKnown && agents.value.agents.some(({ id }) => id === draft.id)) return fail([said.taken(draft.id)]);
    const details = toDetails(draft);
    if (Array.isArray(details)) return fail(details);
    saving(true);
    agents
      .put(details)
      .then(onDone, (error: Error) => fail(error.message.split('\n')))
      .finally(() => saving(false));
  };
  return (
    <form onSubmit={submit} className="mt-3 grid gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={said.name} value={draft.name} onChange={rename} isFirst />
        <Field label={said.id} value={draft.id} onChange={id => change({ id })} says={said.idSays} isCode isRequired isFixed={isKnown} />
      </div>
      <Field label={said.description} value={draft.description} onChange={description => change({ description })} />
      <Runs draft={draft} change={change} harnesses={choices.harnesses} providers={choices.providers} />
      <LongField label={said.prompt} value={draft.system_prompt} onChange={system_prompt => change({ system_prompt })} says={said.promptSays} />
      <Group title={said.tools}>
        <Checks all={choices.tools} chosen={draft.tools} onChange={tools => change({ tools })} />
      </Group>
      <Servers chosen={draft.mcp_servers} onChange={mcp_servers => change({ mcp_servers })} />
      <OwnServers servers={draft.own_servers} />
      <OwnTools tools={draft.own} onChange={own => change({ own })} />
      {draft.tools.includes(runCommand) && (
        <Group title={said.env} says={said.envSays}>
          <Pairs pairs={draft.env} words={said.variable} onChange={env => change({ env })} />
        </Group>
      )}
      <References id={references} />
      <Permissions draft={draft} change={change} />
      <div role="alert" className="text-sm text-bad empty:hidden">
        {problems.map(problem => (
          <p key={problem}>{problem}</p>
        ))}
      </div>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button type="submit" look="strong" disabled={isSaving}>
          {isSaving ? said.saving : said.save}
        </Button>
      </div>
    </form>
  );
}

interface PartProps {
  draft: Draft;
  change: (changed: Partial<Draft>) => void;
}

/** What runs it, and whose model it is. */
function Runs({ draft, change, harnesses, providers }: PartProps & { harnesses: string[]; providers: string[] }) {
  const ofProgram = isProgram(draft.harness);
  const isOwn = ofProgram && draft.isOwnLogin;
  const named = (kind: string) => said.harnesses[kind] ?? kind.replace(/^acp:/, '');
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice label={said.harness} value={draft.harness} options={harnesses.map(kind => [kind, named(kind)])} onChange={harness => change({ harness })} />
        {ofProgram && (
          <Choice label={said.login} value={isOwn ? 'own' : 'key'} options={Object.entries(said.logins)} onChange={login => change({ isOwnLogin: login === 'own' })} />
        )}
        {!isOwn && (
          <Choice
            label={said.provider}
            value={draft.provider}
            options={[['', said.noProvider], ...providers.map(name => [name, name] as const)]}
            onChange={provider => change({ provider })}
          />
        )}
        <Field label={said.model} value={draft.model} onChange={model => change({ model })} isCode />
      </div>
      {ofProgram && (
        <Group title={said.options} says={said.optionsSay}>
          <Rows rows={draft.options} onChange={options => change({ options })} added={{ name: '', value: '' }} add={said.addOption} remove={said.removeOption}>
            {(option, edit, n) => (
              <>
                <Cell label={said.option(n)} value={option.name} onChange={name => edit({ ...option, name })} />
                <Cell label={said.value(n)} value={option.value} onChange={value => edit({ ...option, value })} />
              </>
            )}
          </Rows>
        </Group>
      )}
    </>
  );
}

const added: Rule = { pattern: '', permission: 'ask' };

/** What it may do without asking. */
function Permissions({ draft, change }: PartProps) {
  return (
    <Group title={said.permissions}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice label={said.mode} value={draft.mode} options={Object.entries(text.mode.names)} onChange={mode => change({ mode: mode as Mode })} />
        <Choice label={said.fallback} value={draft.fallback} options={Object.entries(said.fallbacks)} onChange={fallback => change({ fallback })} />
      </div>
      <p className="mt-3 text-sm font-medium">{said.rules}</p>
      <p className="mb-2 text-xs text-faint">{said.rulesSay}</p>
      <Rows rows={draft.rules} onChange={rules => change({ rules })} added={added} add={said.addRule} remove={said.removeRule}>
        {(rule, edit, n) => (
          <>
            <Cell label={said.pattern(n)} value={rule.pattern} onChange={pattern => edit({ ...rule, pattern })} />
            <Select
              label={said.permission(n)}
              value={rule.permission}
              options={Object.entries(said.verdicts)}
              onChoose={permission => edit({ ...rule, permission: permission as Permission })}
              className="h-8 w-24 shrink-0 rounded-md border border-line-strong text-sm"
            />
          </>
        )}
      </Rows>
      <p className="mt-3 text-sm font-medium">{said.commands}</p>
      <p className="mb-2 text-xs text-faint">{said.commandsSay}</p>
      <Rows rows={draft.commands} onChange={commands => change({ commands })} added="" add={said.addCommand} remove={said.removeCommand}>
        {(command, edit, n) => <Cell label={said.command(n)} value={command} onChange={edit} />}
      </Rows>
      <p className="mt-3 mb-2 text-xs text-faint">{said.globsSay}</p>
      <Rows rows={draft.globs} onChange={globs => change({ globs })} added="" add={said.addGlob} remove={said.removeGlob}>
        {(glob, edit, n) => <Cell label={said.glob(n)} value={glob} onChange={edit} />}
      </Rows>
      <p className="mt-3 text-sm font-medium">{said.domains}</p>
      <p className="mb-2 text-xs text-faint">{said.domainsSay}</p>
      <Rows rows={draft.domains} onChange={domains => change({ domains })} added="" add={said.addDomain} remove={said.removeDomain}>
        {(domain, edit, n) => <Cell label={said.domain(n)} value={domain} onChange={edit} />}
      </Rows>
    </Group>
  );
}
