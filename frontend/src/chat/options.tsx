import type { Session } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Select } from '../ui/select.tsx';
import type { Option } from './harness.ts';

interface OptionPickersProps {
  session: Session;
  /** What the agent's program offers to choose. */
  options: Option[];
}

/** What can be chosen in the agent's program. It holds from the next turn on. */
export function OptionPickers({ session, options }: OptionPickersProps) {
  const { client, toasts } = useParley();
  const choose = (id: string, value: string) => {
    client.change(session.id, { options: { [id]: value } }).catch((error: Error) => toasts.show(error.message));
  };
  return options
    .filter(({ choices }) => choices.length > 1)
    .map(({ id, name, value, choices }) => (
      <Select
        key={id}
        label={name}
        value={session.agent.options?.[id] ?? value}
        options={choices.map(choice => [choice.value, choice.name] as const)}
        onChoose={chosen => choose(id, chosen)}
        className="h-8 max-w-48 text-sm"
      />
    ));
}
