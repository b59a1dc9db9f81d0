import { X } from 'lucide-react';
import { use, useRef } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { Checks, Choice, Field, Group, LongField } from '../../ui/fields.tsx';
import { Select } from '../../ui/select.tsx';
import { useStore } from '../../ui/store.ts';
import { needed, neededText, number } from './codec.ts';
import { Insert } from './insert.tsx';
import type { Option, Row } from './row.ts';
import { panelText } from './text.ts';
import { FormsContext, useField, useProblem, useTyped, type Slot } from './use_field.ts';

type RowOf<Kind extends Row['kind']> = Row & { kind: Kind };

interface FieldOfProps<Kind extends Row['kind']> {
  slot: Slot;
  row: RowOf<Kind>;
}

export function Line({ slot, row: { words, codec, isCode, offers } }: FieldOfProps<'line'>) {
  const { text, type, key, problem } = useTyped(slot, codec);
  return <Field id={key} label={words[0]} says={words[1]} problem={problem} value={text} onChange={type} isCode={isCode} offers={offers} />;
}

export function Long({ slot, row: { words, codec, isCode, references } }: FieldOfProps<'long'>) {
  const { text, type, key, problem } = useTyped(slot, codec);
  const area = useRef<HTMLTextAreaElement>(null);
  const insert = references && <Insert label={words[0]} node={references === 'before' ? (slot.path[1] as number) : undefined} area={area} onInsert={type} />;
  return <LongField ref={area} id={key} label={words[0]} says={words[1]} problem={problem} value={text} onChange={type} isCode={isCode} aside={insert} />;
}

/** One of a few. What is there and should not be is shown as what it is. */
export function One({ slot, row: { words, codec, options } }: FieldOfProps<'choice'>) {
  const { text, type, key, problem } = useTyped(slot, codec);
  const all: readonly Option[] = options.some(([value]) => value === text) ? options : [...options, [text, text === '' ? panelText.choose : panelText.unknown(text)]];
  return <Choice id={key} label={words[0]} says={words[1]} problem={problem} value={text} options={all} onChange={type} />;
}

export function Some({ slot, row: { words, options } }: FieldOfProps<'checks'>) {
  const { value, write, key } = useField(slot);
  const problem = useProblem(key);
  const chosen = (value ?? []) as string[];
  const all = [...new Set([...options, ...chosen])];
  return (
    <Group title={words[0]} says={words[1]} problem={problem} id={key}>
      <Checks all={all} chosen={chosen} onChange={some => write(some.length > 0 ? some : undefined)} />
    </Group>
  );
}

/** Any nodes, of which there may be hundreds. */
export function Nodes({ slot, row: { words } }: FieldOfProps<'nodes'>) {
  const { editor, reveal } = use(FormsContext);
  const nodes = useStore(editor, state => state.graph.nodes);
  const { value, write, key } = useField(slot);
  const problem = useProblem(key);
  const chosen = (value ?? []) as string[];
  const others = nodes.filter(node => !chosen.includes(node.id)).map((node): Option => [node.id, node.id]);
  const cut = (i: number) => {
    write(chosen.toSpliced(i, 1));
    reveal(key);
  };
  return (
    <Group title={words[0]} says={words[1]} problem={problem} id={key}>
      <ul className="grid gap-1 empty:hidden">
        {chosen.map((id, i) => (
          <li key={id} className="flex items-center justify-between gap-2 font-mono text-code">
            <span className="min-w-0 break-all">{id}</span>
            <IconButton icon={X} label={panelText.remove(id)} onClick={() => cut(i)} className="size-7" />
          </li>
        ))}
      </ul>
      <Select label={panelText.addNode} value="" options={[['', panelText.addNode], ...others]} onChoose={id => write([...chosen, id])} className="mt-1 h-8 rounded-md border border-line-strong text-sm" />
    </Group>
  );
}

/** What an expression may be equal to: true, false, a text or a number. */
export function When({ slot, row: { words } }: FieldOfProps<'when'>) {
  const { value, write, key } = useField(slot);
  const problem = useProblem(key);
  const kind = typeof value === 'boolean' ? String(value) : typeof value === 'number' ? 'number' : 'text';
  const choose = (chosen: string) => write({ true: true, false: false, number: 0, text: '' }[chosen]);
  const isTyped = typeof value !== 'boolean';
  return (
    <>
      <Choice id={isTyped ? undefined : key} label={words[0]} value={kind} options={Object.entries(panelText.when)} problem={isTyped ? undefined : problem} onChange={choose} />
      {isTyped && <Line slot={slot} row={{ kind: 'line', words: panelText.fields.whenValue, codec: kind === 'number' ? needed(number) : neededText, isCode: true }} />}
    </>
  );
}
