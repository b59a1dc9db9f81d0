import { useChat } from '@ai-sdk/react';
import { useEffect, useState } from 'react';
import { QuestionBar } from '../approvals/bar.tsx';
import type { Mode } from '../api/types.gen.ts';
import { FilesButton } from '../files/button.tsx';
import type { Chosen } from '../files/chosen.ts';
import { useParley } from '../parley.ts';
import { ModePicker, useModeChange } from '../permissions/mode.tsx';
import { AgentPicker } from '../agents/picker.tsx';
import { Button } from '../ui/button.tsx';
import { later } from '../ui/later.tsx';
import { goTo, settleOn } from '../ui/route.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { useAnnouncement } from './announce.ts';
import { Composer } from './composer.tsx';
import { harnessIn, takesMore } from './harness.ts';
import { Header } from './header.tsx';
import { spoken } from './message.ts';
import { OptionPickers } from './options.tsx';
import { openQuestions } from './questions.ts';
import type { OpenSession } from './session.ts';
import { Transcript } from './transcript.tsx';
import { Waiting } from './waiting.tsx';
import { Welcome } from './welcome.tsx';

const FilesDialog = later('files', () => import('../files/choice.tsx'));

/** How often a growing answer is rendered at most, in milliseconds. */
const throttle = 50;

/** One session: its name, its session, and the place to write. */
export function ChatView({ session }: { session: OpenSession }) {
  const { agents, inbox, list, view } = useParley();
  const { messages: last, status } = useChat({ chat: session.chat, throttle });
  const past = useStore(session.pages, state => state.past?.messages);
  const place = useStore(session.pages, state => state.place);
  const messages = past ?? last;
  const isBusy = status === 'submitted' || status === 'streaming';
  const open = isBusy ? [] : openQuestions(last.at(-1));
  const asked = open.filter(({ kind }) => kind !== 'client_tool');
  const isPaused = open.length > 0;
  const isActive = isBusy || isPaused;
  const load = useStore(session, state => state.load);
  const stored = useStore(list, state => state.sessions.find(({ id }) => id === session.id));
  const files = useFiles(session);
  const known = useStore(agents, state => state.agents);
  const [chosen, choose] = useState<string>();
  const [chosenMode, chooseMode] = useState<Mode>();
  const said = useAnnouncement(last, isBusy, isPaused);
  const lastSent = last.findLast(message => message.role === 'user');
  const isBegun = messages.length > 0;
  const agent = (isBegun ? undefined : known.find(({ id }) => id === chosen)) ?? stored?.agent ?? known[0];
  const waiting = useStore(inbox, state => state.waiting.length);
  const title = stored?.title || (isBegun ? text.untitled : text.newSession);
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} — Parley`;
  }, [title, waiting]);

  useEffect(() => {
    if (isBegun) settleOn(session.id);
  }, [isBegun, session]);

  const program = harnessIn(last, stored?.agent.harness);
  const goOn = useFork(session);
  const { changeMode, isChanged } = useModeChange(session.id);
  const send = async () => {
    if (!(await isChanged())) return;
    await (isBegun || !agent ? session.send() : session.send(agent.id, { login: view.loginOf(agent.id), permissions: chosenMode }));
  };
  return (
    <>
      <Header title={title} session={stored} />
      {history.state?.canvas && (
        <a href={history.state.canvas} className="border-b border-line px-4 py-1.5 text-sm font-medium text-accent hover:underline">
          {text.toCanvas}
        </a>
      )}
      <p role="status" className="sr-only">
        {said}
      </p>
      <p role="alert" className="sr-only">
        {asked.length > 0 && text.said.asks(asked.length, asked[0]!.tool)}
      </p>
      {load === 'ready' && isBegun && (
        <Transcript key={place} session={session} messages={messages} isBusy={isBusy && !past} isActive={isActive} isEnd={!past} />
      )}
      {load === 'ready' && !isBegun && (
        <Welcome
          agent={agent}
          onPrompt={prompt => {
            session.draft.edit(prompt);
            void send();
          }}
        />
      )}
      {load === 'loading' && <Loading />}
      {load === 'missing' && <Nothing says={text.missing} />}
      {load === 'failed' && <Nothing says={text.loadFailed} onRetry={() => void session.sync()} />}
      {load !== 'missing' && (
        <>
          <QuestionBar session={session} asked={asked} />
          <Waiting session={session} isActive={isActive} canSteer={isBusy && takesMore(last.at(-1))} />
          <Composer session={session} lastSent={lastSent && spoken(lastSent)} isBusy={isBusy} isPaused={isPaused} asked={asked} agent={agent} commands={program?.commands ?? []} onSend={() => void send()}>
            <AgentPicker agent={agent} agents={known} onChoose={isBegun ? goOn : choose} />
            {agent && <ModePicker mode={(isBegun ? stored?.mode : chosenMode) ?? agent.mode} onChoose={isBegun ? changeMode : chooseMode} />}
            <FilesButton chosen={files} />
            {stored && <OptionPickers session={stored} options={program?.options ?? []} />}
          </Composer>
          <FilesDialog session={session} chosen={files} />
        </>
      )}
    </>
  );
}

/** Which files the agent reaches: as it is stored, as it was just chosen, or as it is for a new session. */
function useFiles(session: OpenSession): Chosen {
  const { list } = useParley();
  const stored = useStore(list, state => state.sessions.find(({ id }) => id === session.id));
  const chosen = useStore(session, state => state.files);
  const workingDir = useStore(list, state => state.workingDir);
  return stored ?? chosen ?? { scope: 'sandboxed', workingDir };
}

/** Lets another agent go on, in a session of its own that has what was said so far, and what is being written. */
function useFork(session: OpenSession): (agent: string) => void {
  const { client, toasts, view } = useParley();
  const fork = async (agent: string) => {
    const { id } = await client.fork(session.id, { agent, login: view.loginOf(agent) });
    await client.change(id, session.draft.kept);
    goTo(id);
  };
  return agent => void fork(agent).catch((error: Error) => toasts.show(error.message));
}

/** Grey lines where the session will be. What loads at once is not announced by a flash of them. */
function Loading() {
  return (
    <div role="status" className="mx-auto flex w-full max-w-measure flex-1 appear-late flex-col justify-end gap-3 px-6 pb-10">
      <span className="sr-only">{text.loading}</span>
      {['w-2/5 self-end h-10', 'w-full', 'w-11/12', 'w-3/4', 'w-1/3 self-end h-10', 'w-full', 'w-5/6'].map(className => (
        <div key={className} className={`h-4 animate-breathe rounded-md bg-hover ${className}`} />
      ))}
    </div>
  );
}

function Nothing({ says, onRetry }: { says: string; onRetry?: () => void }) {
  return (
    <div className="grid flex-1 place-content-center justify-items-center gap-4 p-6 text-center text-soft">
      <p>{says}</p>
      {onRetry && <Button onClick={onRetry}>{text.again}</Button>}
    </div>
  );
}
