import { createContext, use, useState } from 'react';
import type { FileProblem } from '../../api/types.gen.ts';
import { useStore } from '../../ui/store.ts';
import type { Editor } from '../editor.ts';
import { change } from './change.ts';
import type { Codec } from './codec.ts';
import { at, keyOf, nameOf, type Path } from './path.ts';
import type { AnyFields } from './row.ts';
import { panelText } from './text.ts';

/** What was typed into a field, and what of it the workflow has. */
interface Typed {
  text: string;
  value: unknown;
}

/** What the forms of a panel share. */
export interface Forms {
  editor: Editor;
  /** By the names of fields. Text that cannot be read yet is still there when its form is shown again. */
  typed: Map<string, Typed>;
  /** Moves the focus to what a key names, once it is shown. */
  reveal: (key: string) => void;
}

export const FormsContext = createContext<Forms>(undefined as unknown as Forms);

/** A field of a form: which one, of which form. */
export interface Slot {
  path: Path; // of what the form is about
  fields: AnyFields;
  name: string; // of the field
  label: string;
}

/** What a field has now, and how it is changed. Changes of one field in a row are one step of undo. */
export function useField({ path, fields, name, label }: Slot) {
  const { editor } = use(FormsContext);
  const own = [...path, name];
  const key = keyOf(own);
  const value = useStore(editor, state => at(state.graph, own));
  const write = (changed: unknown) => editor.change(panelText.change(label), graph => change(graph, path, fields, name, changed), key);
  return { value, write, key };
}

/** The text of a field, and how it is typed. */
export function useTyped(slot: Slot, codec: Codec) {
  const { editor, typed } = use(FormsContext);
  const { value, write, key } = useField(slot);
  const problem = useProblem(key);
  const [, redraw] = useState({});
  const name = nameOf(editor.value.graph, [...slot.path, slot.name]);
  const last = typed.get(name);
  const text = last && last.value === value ? last.text : codec.show(value);
  const read = codec.read(text);
  const type = (written: string) => {
    const now = codec.read(written);
    const isNew = 'value' in now && codec.show(now.value) !== codec.show(value);
    typed.set(name, { text: written, value: isNew ? now.value : value });
    if (isNew) write(now.value);
    else redraw({});
  };
  return { text, type, key, problem: 'refused' in read ? read.refused : problem };
}

/** What is wrong at a key, and below it if nothing there says so itself. */
export function useProblem(key: string, below = true): string | undefined {
  const { editor } = use(FormsContext);
  return useStore(editor, ({ problems }) => problemOf(problems, key, below));
}

function problemOf(problems: readonly FileProblem[], key: string, below: boolean): string | undefined {
  const isOwn = (of = '') => of === key || (below && of.startsWith(key) && '.['.includes(of.charAt(key.length)));
  return [...new Set(problems.filter(problem => isOwn(problem.key)).map(problem => problem.message))].join(' ') || undefined;
}
