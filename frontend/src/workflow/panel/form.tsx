import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { use, type ReactNode } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Group } from '../../ui/fields.tsx';
import { useStore } from '../../ui/store.ts';
import { Line, Long, Nodes, One, Some, When } from './field.tsx';
import { Fold } from './fold.tsx';
import { Id } from './id.tsx';
import { at, keyOf, type Path } from './path.ts';
import { rowsOf, type AnyFields, type GroupRow, type ListRow, type Row } from './row.ts';
import { panelText } from './text.ts';
import { FormsContext, useField, useProblem, type Slot } from './use_field.ts';

const columns = 'grid grid-cols-2 gap-x-3 gap-y-4 *:first:*:border-t-0 *:first:*:pt-0';

interface FormProps {
  /** What of the workflow the form is about. */
  path: Path;
  fields: AnyFields;
}

/** A form, as its table says. */
export function Form({ path, fields }: FormProps) {
  const { editor } = use(FormsContext);
  const graph = useStore(editor, state => state.graph);
  const of = at(graph, path) as Record<string, unknown> | undefined;
  if (!of) return null;
  const rows = rowsOf(fields, of, graph);
  const show = ([name, row]: [string, Row]) => (
    <div key={name} className={row.isShort ? 'min-w-0' : 'col-span-2 min-w-0'}>
      <FieldOf row={row} slot={{ path, fields, name, label: row.words[0] }} />
    </div>
  );
  const rare = rows.filter(([, row]) => row.isRare);
  return (
    <div className="grid gap-4">
      <div className={columns}>{rows.filter(([, row]) => !row.isRare).map(show)}</div>
      {rare.length > 0 && (
        <Fold label={panelText.more} initially={rare.some(([name]) => of[name] !== undefined)}>
          <div className={columns}>{rare.map(show)}</div>
        </Fold>
      )}
    </div>
  );
}

function FieldOf({ slot, row }: { slot: Slot; row: Row }) {
  switch (row.kind) {
    case 'id':
      return <Id slot={slot} row={row} />;
    case 'line':
      return <Line slot={slot} row={row} />;
    case 'long':
      return <Long slot={slot} row={row} />;
    case 'choice':
      return <One slot={slot} row={row} />;
    case 'checks':
      return <Some slot={slot} row={row} />;
    case 'nodes':
      return <Nodes slot={slot} row={row} />;
    case 'when':
      return <When slot={slot} row={row} />;
    case 'group':
      return <Optional slot={slot} row={row} />;
    case 'list':
      return <Entries slot={slot} row={row} />;
  }
}

/** Fields that are there together or not at all. */
function Optional({ slot, row: { words, fields, blank, isRequired } }: { slot: Slot; row: GroupRow }) {
  const { reveal } = use(FormsContext);
  const { value, write, key } = useField(slot);
  const problem = useProblem(key, false);
  const set = (to: object | undefined) => {
    write(to);
    reveal(key);
  };
  if (value === undefined) {
    return (
      <Button id={key} className="justify-self-start" onClick={() => set(blank)}>
        {panelText.add(words[0])}
      </Button>
    );
  }
  const remove = !isRequired && <IconButton icon={X} label={panelText.remove(words[0])} onClick={() => set(undefined)} className="size-7" />;
  return (
    <Group title={words[0]} says={words[1]} problem={problem} id={key} aside={remove}>
      <div className="pt-1">
        <Form path={[...slot.path, slot.name]} fields={fields} />
      </div>
    </Group>
  );
}

/** Entries that can be added, moved and removed. */
function Entries({ slot, row }: { slot: Slot; row: ListRow }) {
  const { words, fields, adds } = row;
  const { editor, reveal } = use(FormsContext);
  const { value, write, key } = useField(slot);
  const problem = useProblem(key, false);
  const entries = (value ?? []) as Entry[];
  const path = [...slot.path, slot.name];
  const set = (to: readonly object[], index: number) => {
    write(to.length > 0 ? to : undefined);
    reveal(keyOf([...path, Math.min(index, to.length - 1)]));
  };
  const add = (entry: object) => {
    write([...entries, entry]);
    const [[first]] = rowsOf(fields, entry, editor.value.graph) as [[string, Row]];
    reveal(keyOf([...path, entries.length, first]));
  };
  return (
    <Group title={words[0]} says={words[1]} problem={problem} id={key}>
      <ol className="grid gap-2 empty:hidden">
        {entries.map((entry, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- an entry is what is at its place
          <Item key={i} path={[...path, i]} entry={entry} row={row} isLast={i === entries.length - 1} onMove={to => set(entries.toSpliced(i, 1).toSpliced(to, 0, entry), to)} onRemove={() => set(entries.toSpliced(i, 1), i)}>
            <Form path={[...path, i]} fields={fields} />
          </Item>
        ))}
      </ol>
      <div className="mt-2 flex flex-wrap gap-2">
        {adds.map(({ label, blank }) => (
          <Button key={label} onClick={() => add(blank(editor.value.graph))}>
            {label}
          </Button>
        ))}
      </div>
    </Group>
  );
}

type Entry = Record<string, unknown>;

interface ItemProps {
  path: Path;
  entry: Entry;
  row: ListRow;
  isLast: boolean;
  onMove: (to: number) => void;
  onRemove: () => void;
  children: ReactNode;
}

function Item({ path, entry, row: { one, isOpen = false, holds }, isLast, onMove, onRemove, children }: ItemProps) {
  const { editor } = use(FormsContext);
  const held = useStore(editor, ({ graph }) => holds?.(entry, graph));
  const key = keyOf(path);
  const problem = useProblem(key, false);
  const isWrong = useProblem(key) !== undefined;
  const i = path.at(-1) as number;
  const label = one(i + 1);
  const tools = (
    <>
      {i > 0 && <IconButton icon={ArrowUp} label={panelText.move.up(label)} onClick={() => onMove(i - 1)} className="size-7" />}
      {!isLast && <IconButton icon={ArrowDown} label={panelText.move.down(label)} onClick={() => onMove(i + 1)} className="size-7" />}
      <IconButton icon={X} label={panelText.remove(label)} disabled={held !== undefined} onClick={onRemove} className="size-7" />
    </>
  );
  return (
    <li id={key} tabIndex={-1} className="rounded-lg border border-line bg-sunken/50 px-3 py-2">
      <Fold label={calledBy(entry) || label} initially={isOpen} isWrong={isWrong} tools={tools}>
        {children}
        {held && <p className="mt-3 text-xs text-faint">{held}</p>}
      </Fold>
      {problem && <p className="text-xs text-bad">{problem}</p>}
    </li>
  );
}

/** What an entry is called in the workflow, if it is. */
function calledBy(entry: Entry): string {
  return String(entry.name ?? entry.id ?? entry.key ?? entry.$ref ?? entry.ref ?? entry.model ?? '');
}
