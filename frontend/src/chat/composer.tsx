import { ArrowUp, ListPlus, Square } from 'lucide-react';
import { useEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import type { Agent } from '../api/types.gen.ts';
import { useSees } from '../harnesses/sees.ts';
import { useParley } from '../parley.ts';
import { IconButton } from '../ui/button.tsx';
import { useShortcut } from '../ui/keys.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { CredentialOffer, useCredential } from '../secrets/offer.tsx';
import { TextArea } from '../ui/textarea.tsx';
import { AttachButton, AttachedFiles } from './attached.tsx';
import { CommandList, useCommands } from './commands.tsx';
import { isWhole } from './draft.ts';
import { DropHint, useDrop } from './drop.tsx';
import type { Command } from './harness.ts';
import { doing } from './keys.ts';
import type { Question } from './questions.ts';
import type { OpenSession } from './session.ts';

interface ComposerProps {
  session: OpenSession;
  /** What was sent last, if anything was. */
  lastSent: string | undefined;
  isBusy: boolean;
  /** Whether the turn waits for answers. What is sent then, or while it runs, is queued. */
  isPaused: boolean;
  /** The questions to the person. */
  asked: Question[];
  /** Whom the message is for. */
  agent: Agent | undefined;
  /** What a message may begin with. */
  commands: Command[];
  /** Sends what was written. */
  onSend: () => void;
  /** What stands before the button: whom the message is for, and how. */
  children: ReactNode;
}

/** Where a person writes. What is written stays until it was sent. */
export function Composer({ session, lastSent, isBusy, isPaused, asked, agent, commands, onSend, children }: ComposerProps) {
  const { wire, vault } = useParley();
  const draft = useStore(session.draft, state => state);
  const refusal = useStore(session, state => state.refusal);
  const isStopping = useStore(session, state => state.stopping);
  const isConnected = useStore(wire, state => state.state === 'open');
  const isReadOnly = useStore(vault, state => state.vault?.readOnly ?? false);
  const [wasRefused, setRefused] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const isActive = isBusy || isPaused;
  useEffect(() => box.current?.focus(), []);
  useEffect(() => {
    // What sent it may be gone, and the focus with it.
    if (lastSent && document.activeElement === document.body) box.current?.focus();
  }, [lastSent]);
  useFocusAfterAnswer(session, asked, box);

  const cannot = isReadOnly ? text.vault.notice.readOnly : isConnected ? undefined : text.composer.notConnected;
  const tries = (run: () => void) => (cannot ? setRefused(true) : run());
  const credential = useCredential(draft.text, mention => session.draft.edit(mention(session.draft.value.text)));
  const isReady = isWhole(draft) && !credential.isRunning;
  const isStuck = draft.files.some(({ problem }) => problem);
  const send = () => isReady && tries(onSend);
  const sendNow = () => (isReady || (draft.files.length === 0 && !credential.isRunning)) && tries(() => void session.sendNow());
  const stop = () => void session.stop();
  const write = (written: string) => {
    setRefused(false);
    session.dismissRefusal();
    session.draft.edit(written);
  };
  const attach = (files: File[]) => files.length > 0 && tries(() => void session.draft.attach(files));
  const pasted = (event: ClipboardEvent) => {
    const { files, types } = event.clipboardData;
    if (files.length === 0 || types.includes('text/plain')) return; // words that come with a picture of themselves
    event.preventDefault();
    attach([...files]);
  };
  const isOver = useDrop(attach);
  const sees = useSees(agent, draft.files.length > 0);
  const recall = () => lastSent && write(lastSent);
  const completion = useCommands(draft.text, commands, write);
  const { matches, at, listId, idOf } = completion;
  const pressed = (event: KeyboardEvent) => {
    if (completion.pressed(event)) return event.preventDefault();
    const what = doing(event.nativeEvent, { isEmpty: draft.text === '', isBusy, isPaused });
    if (!what) return;
    event.preventDefault();
    ({ send, sendNow, stop, recall })[what]();
  };
  useShortcut('composer', () => box.current?.focus());
  useShortcut('stop', stop);

  return (
    <form
      className="mx-auto w-full max-w-measure px-3 pt-1 pb-3 sm:px-4 sm:pb-4"
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      {isOver && <DropHint />}
      <CredentialOffer {...credential} />
      <p role="status" className="px-4 text-sm text-warn empty:hidden [&:not(:empty)]:pb-1.5">
        {(wasRefused && cannot) || (isStuck && text.attach.notReady) || refusal}
      </p>
      <div className="relative rounded-2xl border border-line-strong bg-raised shadow-[0_1px_3px_oklch(0_0_0/0.05)] focus-within:border-accent">
        <CommandList {...completion} />
        <AttachedFiles files={draft.files} sees={sees} onDetach={id => session.draft.detach(id)} onNone={() => box.current?.focus()} />
        <TextArea
          ref={box}
          label={text.composer.label}
          value={draft.text}
          placeholder={isActive ? text.composer.queueing : text.composer.placeholder}
          onWrite={write}
          onKeyDown={pressed}
          onPaste={pasted}
          onBlur={() => void session.draft.flush()}
          aria-autocomplete="list"
          aria-controls={matches.length > 0 ? listId : undefined}
          aria-activedescendant={matches[at] && idOf(matches[at])}
          className="*:px-4 *:pt-3.5 *:pb-1"
        />
        <div className="flex items-end gap-2 p-2 ps-3">
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2">
            {!isReadOnly && <AttachButton onFiles={attach} />}
            {children}
          </div>
          {isActive && isReady && <IconButton type="submit" icon={ListPlus} label={text.composer.queue} />}
          <SendButton isActive={isActive} isStopping={isStopping} canSend={isReady} onStop={stop} onPressed={() => box.current?.focus()} />
        </div>
      </div>
    </form>
  );
}

/** Whoever answered by key goes on to the next question, or to the box: the card that had the focus is gone. */
function useFocusAfterAnswer({ questions }: OpenSession, asked: Question[], box: RefObject<HTMLElement | null>): void {
  const before = useRef(0);
  const next = asked[0]?.id;
  useEffect(() => {
    const isLess = asked.length < before.current;
    before.current = asked.length;
    if (!isLess || document.activeElement !== document.body) return;
    if (next) questions.goTo(next);
    else box.current?.focus();
  }, [questions, box, asked.length, next]);
}

interface SendButtonProps {
  isActive: boolean;
  isStopping: boolean;
  canSend: boolean;
  onStop: () => void;
  onPressed: () => void;
}

/** Send and Stop are one button: what it does is what can be done now. */
function SendButton({ isActive, isStopping, canSend, onStop, onPressed }: SendButtonProps) {
  const label = isStopping ? text.composer.stopping : isActive ? text.composer.stop : text.composer.send;
  const Icon = isActive ? Square : ArrowUp;
  return (
    <button
      type={isActive ? 'button' : 'submit'}
      aria-label={label}
      title={label}
      disabled={isActive ? isStopping : !canSend}
      onClick={() => {
        if (isActive) onStop();
        onPressed();
      }}
      className="grid size-8 shrink-0 place-items-center rounded-full bg-accent text-on-accent hover:brightness-110 disabled:bg-hover disabled:text-faint"
    >
      <Icon aria-hidden className={isActive ? `size-3.5 fill-current ${isStopping ? 'animate-breathe' : ''}` : 'size-4.5'} />
    </button>
  );
}
