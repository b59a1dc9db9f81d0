import type { WorkflowGraph } from '../../api/types.gen.ts';
import type { Codec } from './codec.ts';
import type { Path } from './path.ts';

/** What a field is called, and what is said of it. */
export type Words = readonly [label: string, says?: string];

export type Option = readonly [value: string, label: string];

/** Which references are offered to a text: those to nodes only where nodes have run. */
export type Offered = 'run' | 'before';

/** One field of a form, of which a table says what it is. One that is rare stands behind the others, two short ones beside each other. */
export type Row = { isRare?: boolean; isShort?: boolean } & (
  | { kind: 'id'; words: Words; taken: (graph: WorkflowGraph) => readonly (string | undefined)[]; rename: (graph: WorkflowGraph, path: Path, to: string) => WorkflowGraph }
  | { kind: 'line'; words: Words; codec: Codec; isCode?: boolean; offers?: readonly string[] }
  | { kind: 'long'; words: Words; codec: Codec; isCode?: boolean; references?: Offered }
  | { kind: 'choice'; words: Words; codec: Codec; options: readonly Option[] }
  | { kind: 'checks'; words: Words; options: readonly string[] }
  | { kind: 'nodes'; words: Words } // of the workflow, any of them
  | { kind: 'when'; words: Words }
  | GroupRow
  | ListRow
);

/** Fields of which there are either none, or all that are required. */
export interface GroupRow {
  kind: 'group';
  words: Words;
  fields: AnyFields;
  blank: object;
  isRequired?: boolean;
}

/** Entries in an order. */
export interface ListRow {
  kind: 'list';
  words: Words;
  one: (n: number) => string;
  /** Whether entries are open from the beginning. */
  isOpen?: boolean;
  fields: AnyFields;
  /** What can be added. */
  adds: readonly { label: string; blank: (graph: WorkflowGraph) => object }[];
  /** Why an entry cannot be removed, if so. */
  holds?: (entry: object, graph: WorkflowGraph) => string | undefined;
}

/** The form of a T, in its order: a field for each of its keys. One that depends on the rest is undefined where it has no place. */
export type Fields<T> = { [K in keyof T]-?: Row | ((of: T, graph: WorkflowGraph) => Row | undefined) };

/** The form of something whose type was looked at when its table was written. */
export type AnyFields = Record<string, Row | ((of: never, graph: WorkflowGraph) => Row | undefined)>;

/** The rows that a form has for what is in it now. */
export function rowsOf(fields: AnyFields, of: object, graph: WorkflowGraph): [key: string, row: Row][] {
  return Object.entries(fields).flatMap(([key, field]): [string, Row][] => {
    const row = typeof field === 'function' ? field(of as never, graph) : field;
    return row ? [[key, row]] : [];
  });
}

/**
 * What a form holds after one of its fields changed. What lost its place by that goes, and what has to be there comes: a file
 * may not have the schedule of a trigger that is none any more.
 */
export function settle(fields: AnyFields, of: object, graph: WorkflowGraph): object {
  const rows = new Map(rowsOf(fields, of, graph));
  const kept = Object.entries(of).flatMap(([key, value]) => {
    const row = rows.get(key);
    if (key in fields && !row) return [];
    return [[key, row?.kind === 'group' ? settle(row.fields, value as object, graph) : (value as unknown)]];
  });
  const missing = [...rows].flatMap(([key, row]) => (row.kind === 'group' && row.isRequired && !(key in of) ? [[key, row.blank]] : []));
  return Object.fromEntries([...kept, ...missing]) as object;
}
