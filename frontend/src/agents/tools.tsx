import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../ui/button.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { Cell, Choice, Field, Group, LongField, Rows } from '../ui/fields.tsx';
import { blankTool, type OwnTool, type Pair } from './tool.ts';
import { agentsText } from './text.ts';

const said = agentsText.editor.own;

/** The id of the list of references to secrets, which boxes offer. */
export const references = 'references';

interface OwnToolsProps {
  tools: OwnTool[];
  onChange: (tools: OwnTool[]) => void;
}

/** The tools that an agent has of its own. */
export function OwnTools({ tools, onChange }: OwnToolsProps) {
  return (
    <Group title={said.title} says={said.says}>
      <ul className="grid gap-3 empty:hidden">
        {tools.map((tool, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- a tool is what is at its place
          <li key={i} className="relative rounded-lg border border-line bg-sunken/50 p-3">
            <Tool tool={tool} n={i + 1} onChange={changed => onChange(tools.with(i, changed))} />
            <IconButton icon={X} label={said.remove(i + 1)} onClick={() => onChange(tools.toSpliced(i, 1))} className="absolute end-1.5 top-1.5 size-7" />
          </li>
        ))}
      </ul>
      <Button className={tools.length > 0 ? 'mt-3' : ''} onClick={() => onChange([...tools, blankTool])}>
        <Plus aria-hidden className="size-3.5" /> {said.add}
      </Button>
    </Group>
  );
}

function Tool({ tool, n, onChange }: { tool: OwnTool; n: number; onChange: (tool: OwnTool) => void }) {
  const change = (some: Partial<OwnTool>) => onChange({ ...tool, ...some });
  const isScript = tool.kind === 'code';
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="float-start text-xs font-medium text-faint">{tool.name || said.nameless(n)}</legend>
      <div className="clear-both grid gap-3 sm:grid-cols-2">
        <Field label={said.name} value={tool.name} onChange={name => change({ name })} isCode isRequired />
        <Choice label={said.kind} value={tool.kind} options={Object.entries(said.kinds)} onChange={kind => change({ kind: kind as OwnTool['kind'] })} />
      </div>
      <Field label={said.description} value={tool.description} onChange={description => change({ description })} says={said.descriptionSays} isRequired />
      {isScript ? (
        <>
          <Choice label={said.runtime} value={tool.runtime} options={Object.entries(said.runtimes)} onChange={runtime => change({ runtime: runtime as OwnTool['runtime'] })} />
          <LongField label={said.code} value={tool.code} onChange={code => change({ code })} says={said.codeSays} isCode />
        </>
      ) : (
        <>
          <div className="grid gap-3 sm:grid-cols-[1fr_8rem]">
            <Field label={said.url} value={tool.url} onChange={url => change({ url })} says={said.urlSays} isCode />
            <Choice label={said.method} value={tool.method} options={['', 'PUT', 'PATCH'].map(method => [method, method || 'POST'])} onChange={method => change({ method })} />
          </div>
          <div>
            <p className="mb-1 text-sm font-medium">{said.headers}</p>
            <Pairs pairs={tool.headers} words={said.header} onChange={headers => change({ headers })} />
          </div>
        </>
      )}
      <LongField label={said.schema} value={tool.schema} onChange={schema => change({ schema })} says={said.schemaSays} isCode />
      <div>
        <p className="text-sm font-medium">{said.secrets}</p>
        <p className="mb-1 text-xs text-faint">{isScript ? said.variablesSay : said.headersSay}</p>
        <Pairs pairs={tool.secrets} words={said.secret} onChange={secrets => change({ secrets })} />
      </div>
      <Disclosure icon={null} label={said.more}>
        <div className="grid gap-3">
          <LongField label={said.args} value={tool.args} onChange={args => change({ args })} says={said.argsSay} isCode />
          <div className="grid gap-3 sm:grid-cols-2">
            <Field label={said.seconds} value={tool.seconds} onChange={seconds => change({ seconds })} says={said.secondsSay} isCode />
            <Choice label={said.permission} value={tool.permission} options={Object.entries(said.permissions)} onChange={permission => change({ permission: permission as OwnTool['permission'] })} />
          </div>
        </div>
      </Disclosure>
    </fieldset>
  );
}

interface PairsProps {
  pairs: Pair[];
  words: { name: (n: number) => string; value: (n: number) => string; add: string; remove: (n: number) => string };
  onChange: (pairs: Pair[]) => void;
}

/** Names and what they stand for, with the references to secrets at hand. */
export function Pairs({ pairs, words, onChange }: PairsProps) {
  return (
    <Rows rows={pairs} onChange={onChange} added={{ name: '', value: '' }} add={words.add} remove={words.remove}>
      {(pair, edit, n) => (
        <div className="grid min-w-0 flex-1 gap-1 sm:grid-cols-2 sm:gap-2">
          <Cell label={words.name(n)} value={pair.name} onChange={name => edit({ ...pair, name })} />
          <Cell label={words.value(n)} value={pair.value} onChange={value => edit({ ...pair, value })} list={references} />
        </div>
      )}
    </Rows>
  );
}
