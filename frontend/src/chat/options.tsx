import type { Session } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Select } from '../ui/select.tsx';
import { text } from '../ui/text.ts';
import type { Option } from './harness.ts';

interface OptionPickersProps {
  session: Session;
  /** What the agent's program offers to choose. */
  options: Option[];
}

/** The categories whose choices tell by themselves what they are of. They come first. */
const plain = ['mode', 'model'];
const isPlain = ({ category = '' }: Option) => plain.includes(category);

/** What can be chosen in the agent's program. It holds from the next turn on. */
export function OptionPickers({ session, options }: OptionPickersProps) {
  const { client, toasts } = useParley();
  const choose = (id: string, value: string) => {
    client.change(session.id, { options: { [id]: value } }).catch((error: Error) => toasts.show(error.message));
  };
  return options
    .filter(({ choices }) => choices.length > 1)
    .toSorted((a, b) => Number(isPlain(b)) - Number(isPlain(a)))
    .map(option => (
      <Select
        key={option.id}
        label={option.name}
        value={session.agent.options?.[option.id] ?? option.value}
        options={option.choices.map(({ value, name }) => [value, isPlain(option) ? name : text.option(option.name, name)] as const)}
        onChoose={value => choose(option.id, value)}
        className="h-8 max-w-48 text-sm"
      />
    ));
}
