import type { SlotType } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { text } from '../ui/text.ts';
import { useAttempt } from './attempt.ts';
import { Form } from './form.tsx';
import { givenIn, Secrets } from './secrets.tsx';

/** Seals the history under a new key. */
export function ChangeKey({ slots }: { slots: SlotType[] }) {
  const { vault, dialogs, toasts } = useParley();
  const attempt = useAttempt();
  const submit = async (form: HTMLFormElement) => {
    if (!(await attempt.run(() => vault.rotate(givenIn(form))))) return;
    dialogs.close();
    toasts.show(text.vault.rotate.done);
  };
  const asked = slots.filter(slot => slot !== 'keychain');
  return (
    <div className="mt-2 grid gap-4">
      <p className="text-sm text-soft">
        {text.vault.rotate.says} {asked.length > 0 && text.vault.rotate.asks}
      </p>
      <Form attempt={attempt} onSubmit={form => void submit(form)} label={text.vault.rotate.do}>
        <Secrets asked={asked} attempt={attempt} />
      </Form>
    </div>
  );
}
