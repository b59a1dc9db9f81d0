import { useParley } from '../parley.ts';
import { goTo } from '../ui/route.ts';
import { text } from '../ui/text.ts';
import { useAttempt } from './attempt.ts';
import { ConfirmField } from './field.tsx';
import { Form, typedIn } from './form.tsx';

const { confirm } = text.vault.erase;

/** Deletes the history once the person has typed that they want it. */
export function DeleteEverything() {
  const { vault } = useParley();
  const attempt = useAttempt();
  const submit = async (form: HTMLFormElement) => {
    if (typedIn(form, 'confirm').trim() !== confirm) return attempt.refuse(text.vault.erase.mistyped(confirm));
    if (!(await attempt.run(() => vault.deleteEverything(confirm)))) return;
    goTo(undefined);
    location.reload(); // nothing of it stays in this page either
  };
  return (
    <div className="mt-2 grid gap-4">
      <p className="rounded-md border border-warn/30 bg-warn-tint px-3 py-2 text-sm text-warn">{text.vault.erase.says}</p>
      <Form attempt={attempt} onSubmit={form => void submit(form)} label={text.vault.erase.do}>
        <ConfirmField name="confirm" label={text.vault.erase.type(confirm)} error={attempt.error} disabled={attempt.isRunning} />
      </Form>
    </div>
  );
}
