import type { WorkflowGraph } from '../../api/types.gen.ts';

/** Where something is in a graph: keys, and places in lists. */
export type Path = readonly (string | number)[];

/** How the problems of a file name what is there. */
export function keyOf(path: Path): string {
  return path.reduce<string>((key, step) => (typeof step === 'number' ? `${key}[${step}]` : `${key}.${step}`), 'workflow');
}

/** What is there; undefined if nothing is. */
export function at(value: unknown, path: Path): unknown {
  return path.reduce((inner, step) => (inner as Record<string | number, unknown> | undefined)?.[step], value);
}

/** The same with something else there. Undefined takes it away: a key of an object, or an entry of a list. */
export function put<T>(value: T, [step, ...rest]: Path, to: unknown): T {
  if (step === undefined) return to as T;
  if (Array.isArray(value)) {
    const index = step as number;
    const changed = put(value[index] as unknown, rest, to);
    return (changed === undefined ? value.toSpliced(index, 1) : [...value.slice(0, index), changed, ...value.slice(index + 1)]) as T;
  }
  const { [step]: inner, ...others } = (value ?? {}) as Record<string, unknown>;
  const changed = put(inner, rest, to);
  return (changed === undefined ? others : { ...(value as object), [step]: changed }) as T;
}

/** A name for what is there that outlives changes elsewhere: nodes and agents count by their ids. */
export function nameOf(graph: WorkflowGraph, path: Path): string {
  return path.map((step, i) => (typeof step === 'number' ? ((at(graph, path.slice(0, i + 1)) as { id?: string } | undefined)?.id ?? step) : step)).join(' ');
}
