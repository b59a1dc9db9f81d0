import { use, useState, type FormEvent } from 'react';
import { Field } from '../../ui/fields.tsx';
import { useStore } from '../../ui/store.ts';
import { FormsContext, useField, useProblem, type Place } from './form.ts';
import type { Row } from './row.ts';
import { panelText } from './text.ts';

const said = panelText.refused;
const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The id of something. What is typed is taken when the person is done with it, because all that refers to it is changed. */
export function Id({ place, row: { words, taken, rename } }: { place: Place; row: Row & { kind: 'id' } }) {
  const { editor } = use(FormsContext);
  const graph = useStore(editor, state => state.graph);
  const { value = '', key } = useField(place);
  const problem = useProblem(key);
  const [typed, type] = useState<{ text: string; of: unknown }>();
  const text = typed && typed.of === value ? typed.text : String(value);
  const isSame = text === value;
  const refused = isSame ? undefined : !kebab.test(text) ? said.kebab : taken(graph).includes(text) ? said.taken(text) : undefined;
  const done = () => {
    if (isSame || refused) return;
    editor.change(panelText.rename(String(value), text), before => rename(before, [...place.path, place.name], text));
    if (place.path[0] === 'nodes') editor.select([text]);
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
