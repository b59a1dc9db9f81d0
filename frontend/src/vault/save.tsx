import { Check, Copy, Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { text } from '../ui/text.ts';
import { useAttempt } from './attempt.ts';
import { differs, groupsOf, isWhole } from './code.ts';
import { CodeField } from './field.tsx';
import { Form, Problem, typedIn } from './form.tsx';

/** Shows a new recovery code, and puts it in force once the person has given it back. */
export function SaveCode({ replaces }: { replaces: boolean }) {
  const { vault } = useParley();
  const [minted, setMinted] = useState<{ code?: string; error?: string }>({});
  useEffect(() => {
    let isGone = false;
    vault.mintRecoveryCode().then(
      code => isGone || setMinted({ code }),
      (error: Error) => isGone || setMinted({ error: error.message }),
    );
    return () => void (isGone = true);
  }, [vault]);
  return (
    <div className="mt-2 grid gap-4">
      <p className="text-sm text-soft">
        {text.vault.code.says} {replaces && text.vault.code.replaces}
      </p>
      {minted.code && <Given code={minted.code} />}
      <Problem error={minted.error} />
      {!minted.code && !minted.error && <Spinner />}
    </div>
  );
}

function Given({ code }: { code: string }) {
  const { host, vault, dialogs, toasts } = useParley();
  const [isCopied, setCopied] = useState(false);
  const groups = groupsOf(code);
  const [asked] = useState(() => 1 + Math.floor(Math.random() * groups.length));
  const attempt = useAttempt();
  const confirm = async (form: HTMLFormElement) => {
    const wrong = differs(code, typedIn(form, 'code'), asked);
    if (wrong) attempt.refuse(text.vault.code.wrongGroup(wrong));
    else if (await attempt.run(() => vault.confirmRecoveryCode(code))) {
      dialogs.close();
      toasts.show(text.vault.code.isSet);
    }
  };
  const discard = <Button onClick={() => dialogs.close()}>{text.vault.code.discard}</Button>;
  return (
    <>
      <div className="rounded-md border border-line bg-sunken p-3">
        <ol dir="ltr" aria-label={text.vault.code.label} className="grid grid-cols-3 gap-x-4 gap-y-1 font-mono text-code sm:grid-cols-4">
          {groups.map((group, i) => (
            <li key={`${i}`} className="flex items-baseline gap-2">
              <span aria-hidden className="w-4 text-end text-xs text-faint select-none">
                {i + 1}
              </span>
              {group}
            </li>
          ))}
        </ol>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button onClick={() => void host.copy(code).then(() => setCopied(true))}>
            {isCopied ? <Check aria-hidden className="size-3.5" /> : <Copy aria-hidden className="size-3.5" />}
            {isCopied ? text.copied : text.vault.code.copy}
          </Button>
          <Button onClick={() => void host.save(text.vault.code.fileName, text.vault.code.file(code)).catch((error: Error) => toasts.show(error.message))}>
            <Download aria-hidden className="size-3.5" /> {text.vault.code.saveFile}
          </Button>
        </div>
      </div>
      <Form attempt={attempt} onSubmit={form => void confirm(form)} label={text.vault.code.confirm} other={discard}>
        <CodeField
          name="code"
          label={text.vault.code.giveBack(asked)}
          error={attempt.error}
          disabled={attempt.isRunning}
          onInput={({ currentTarget: { value, form } }) => isWhole(code, value) && form!.requestSubmit()}
        >
          <p>{text.vault.code.pending}</p>
        </CodeField>
      </Form>
    </>
  );
}
