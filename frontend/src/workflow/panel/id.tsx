import { use, useState, type FormEvent } from 'react';
import { Field } from '../../ui/fields.tsx';
import { useStore } from '../../ui/store.ts';
import { kebab } from '../graph/nodes.ts';
import type { Row } from './row.ts';
import { panelText } from './text.ts';
import { FormsContext, useField, useProblem, type Slot } from './use_field.ts';

const said = panelText.refused;

/** The id of something. What is typed is taken when the person is done with it, because all that refers to it is changed. */
export function Id({ slot, row: { words, taken, rename } }: { slot: Slot; row: Row & { kind: 'id' } }) {
  const { editor } = use(FormsContext);
  const graph = useStore(editor, state => state.graph);
  const { value = '', key } = useField(slot);
  const problem = useProblem(key);
  const [typed, type] = useState<{ text: string; of: unknown }>();
  const text = typed && typed.of === value ? typed.text : String(value);
  const isSame = text === value;
  const refused = isSame ? undefined : !kebab.test(text) ? said.kebab : taken(graph).includes(text) ? said.taken(text) : undefined;
  const done = () => {
    if (isSame || refused) return;
    editor.change(panelText.rename(String(value), text), before => rename(before, [...slot.path, slot.name], text));
    if (slot.path[0] === 'nodes') editor.select([text]);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    done();
  };
  return (
    <form onSubmit={submit} data-untaken={!isSame || undefined}>
      <Field id={key} label={words[0]} says={words[1]} problem={refused ?? problem} value={text} onChange={now => type({ text: now, of: value })} onBlur={done} isCode />
    </form>
  );
}
