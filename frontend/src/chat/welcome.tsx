import type { Agent, Session } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { isDemo } from '../agents/agents.ts';
import { hrefOf } from '../ui/route.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';

const mostRecent = 3;

interface WelcomeProps {
  agent: Agent | undefined;
  onPrompt: (prompt: string) => void;
}

/** What a new session shows: what this is, what could be said, and where one was before. */
export function Welcome({ agent, onPrompt }: WelcomeProps) {
  const { list } = useParley();
  const sessions = useStore(list, state => state.sessions);
  const recent = sessions.filter(session => session.title).slice(0, mostRecent);
  if (!agent) return <div className="flex-1" />;
  const prompts = isDemo(agent) ? text.welcome.demoPrompts : text.welcome.prompts;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex min-h-full max-w-measure flex-col justify-center gap-8 px-5 py-8 sm:px-6">
        <div>
          <h2 className="text-2xl font-semibold tracking-tight text-balance">{text.welcome.title}</h2>
          <p className="mt-2 max-w-xl text-soft">{text.welcome.says}</p>
          <p className="mt-1 max-w-xl text-soft">{isDemo(agent) ? text.welcome.demo : text.welcome.agent(agent.name || agent.id)}</p>
        </div>
        <ul aria-label={text.welcome.try} className="grid gap-2 sm:grid-cols-2">
          {prompts.map(({ say, about }) => (
            <li key={say}>
              <button
                type="button"
                onClick={() => onPrompt(say)}
                className="h-full w-full rounded-lg border border-line bg-raised px-4 py-3 text-start hover:border-line-strong hover:bg-panel"
              >
                <span className={`block text-sm font-medium ${say.startsWith('/') ? 'font-mono' : ''}`}>{say}</span>
                <span className="mt-0.5 block text-sm text-soft">{about}</span>
              </button>
            </li>
          ))}
        </ul>
        {recent.length > 0 && <Recent sessions={recent} />}
      </div>
    </div>
  );
}

function Recent({ sessions }: { sessions: Session[] }) {
  return (
    <section aria-label={text.welcome.recent}>
      <h3 className="text-xs font-medium text-faint">{text.welcome.recent}</h3>
      <ul className="mt-1.5 -ms-2">
        {sessions.map(session => (
          <li key={session.id}>
            <a href={hrefOf(session.id)} className="flex items-baseline gap-3 rounded-md px-2 py-1 text-sm hover:bg-hover">
              <span className="truncate">{session.title}</span>
              <time dateTime={new Date(session.updatedAt).toISOString()} className="ms-auto shrink-0 text-xs text-faint">
                {text.when(session.updatedAt)}
              </time>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
