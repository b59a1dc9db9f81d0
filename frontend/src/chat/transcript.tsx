import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useEffect, useLayoutEffect, useState } from 'react';
import { useParley } from '../parley.ts';
import { useFold } from '../ui/fold.ts';
import { useShortcut } from '../ui/keys.ts';
import { Spinner } from '../ui/spinner.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import type { Message } from './message.ts';
import { useGoal, useMarks } from './goal.ts';
import { useFollowing } from './scroll.ts';
import type { OpenSession } from './session.ts';
import { TurnView } from './turn.tsx';
import { agentOf, toTurns } from './turns.ts';

const roomAbove = 40;
/** When this turn comes near, counted from the first that is here, those before it are fetched. */
const nearTop = 4;
/** The same, counted from the last. */
const nearEnd = 3;

interface TranscriptProps {
  session: OpenSession;
  messages: Message[];
  isBusy: boolean;
  isActive: boolean;
  /** Whether the last of them is the last of the session. */
  isEnd: boolean;
}

/** The session. Only the turns around the view are in the document. */
export function Transcript({ session, messages, isBusy, isActive, isEnd }: TranscriptProps) {
  const turns = useFold(messages, toTurns);
  const [reading] = useState(session.pages.reading);
  const { scroller, content, isFollowing, following, jump, leave, settle } = useFollowing(reading?.follows ?? true);
  const list = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    getItemKey: index => turns[index]!.key,
    estimateSize: () => 240,
    overscan: 2,
    paddingStart: roomAbove,
    // With turns added above, the reader stays where they are. Following the end is not the list's business.
    anchorTo: 'end',
    scrollEndThreshold: -1,
    initialOffset: reading && !reading.follows ? reading.offset : Number.MAX_SAFE_INTEGER,
    initialMeasurementsCache: (reading?.sizes ?? []) as VirtualItem[],
  });
  // Who follows the end is kept there by useFollowing, and the list's own idea of where they are may be older. Who reads
  // stays where they are when something above them turns out larger, or smaller, than it was thought to be.
  list.shouldAdjustScrollPositionOnItemSizeChange = ({ key, start, end }) =>
    !following.current && (list.itemSizeCache.has(key) ? end : start) < scroller.current!.scrollTop;
  const rows = list.getVirtualItems();

  useLayoutEffect(
    () => () => {
      session.pages.reading = { follows: following.current, offset: list.scrollOffset ?? 0, sizes: list.takeSnapshot() };
    },
    [session, list, following],
  );

  const hasEarlier = useStore(session.pages, state => (state.past ?? state).earlier !== undefined);
  const first = rows[0]?.index ?? nearTop;
  useEffect(() => {
    if (hasEarlier && first < nearTop) void session.pages.loadEarlier();
  }, [session, hasEarlier, first, turns.length]);

  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (!isEnd && last >= turns.length - nearEnd) void session.pages.loadLater();
  }, [session, isEnd, last, turns.length]);

  const onMarked = useGoal(session, scroller, id => {
    const index = turns.findIndex(({ asked, answers }) => asked?.id === id || answers.some(answer => answer.id === id));
    if (index < 0) return false;
    if (scroller.current!.scrollHeight > scroller.current!.clientHeight) leave();
    list.scrollToIndex(index, { align: 'start' });
    return true;
  });
  useMarks(session.id, content, onMarked);

  // What was just sent is where the reader wants to be.
  const sent = isBusy && messages.at(-1)?.role === 'user' ? messages.at(-1)!.id : undefined;
  useEffect(() => {
    if (sent) jump();
  }, [sent, jump]);

  // Who looks at another branch stays where the branches part.
  const isChoosing = useStore(session, state => state.choosing);
  useEffect(() => {
    if (!isChoosing) return;
    leave();
    return settle;
  }, [isChoosing, leave, settle]);

  const step = (by: 1 | -1) => {
    const top = scroller.current!.scrollTop;
    const current = list.measurementsCache.findIndex(row => row.end > top + 2);
    // Back from the middle of a turn is its beginning.
    const isInside = list.measurementsCache[current]!.start < top - 2;
    const target = by < 0 && isInside ? current : current + by;
    if (target >= turns.length) return isEnd && jump();
    leave();
    list.scrollToIndex(Math.max(0, target), { align: 'start' });
  };
  useShortcut('previous', () => step(-1));
  useShortcut('next', () => step(1));

  // What follows a turn is another agent's, or will be.
  const { list: sessions } = useParley();
  const agent = useStore(sessions, () => sessions.get(session.id)?.agent.id);
  const agentAfter = (index: number) => {
    const next = agentOf(turns[index + 1]) ?? (isEnd && index >= turns.length - 2 ? agent : undefined);
    return next !== agentOf(turns[index]) && agentOf(turns[index]) ? next : undefined;
  };

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-live="off"
        aria-busy={isBusy}
        aria-label={text.transcript}
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
      >
        <div className="relative w-full" style={{ height: list.getTotalSize() }}>
          <Earlier session={session} />
          <div ref={content} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${rows[0]?.start ?? 0}px)` }}>
            {rows.map(row => (
              <div key={row.key} data-index={row.index} ref={list.measureElement}>
                <TurnView
                  session={session}
                  turn={turns[row.index]!}
                  isLast={isEnd && row.index === turns.length - 1}
                  isBusy={isBusy && row.index === turns.length - 1}
                  isActive={isActive}
                  handedTo={agentAfter(row.index)}
                  position={row.index + 1}
                  setSize={hasEarlier ? -1 : turns.length}
                />
              </div>
            ))}
          </div>
        </div>
      </div>
      {(!isFollowing || !isEnd) && <JumpButton messages={isEnd ? messages : []} onClick={isEnd ? jump : () => session.pages.toEnd()} />}
    </div>
  );
}

function Earlier({ session }: { session: OpenSession }) {
  const isLoading = useStore(session.pages, state => state.loadingEarlier);
  if (!isLoading) return null;
  return (
    <p className="flex items-center justify-center gap-2 pt-4 text-sm text-faint" style={{ height: roomAbove }}>
      <Spinner /> {text.loadingEarlier}
    </p>
  );
}

/** The way back to the end, with what has come since the reader left it. */
function JumpButton({ messages, onClick }: { messages: Message[]; onClick: () => void }) {
  const [last] = useState(messages.at(-1)?.id);
  const seen = messages.findLastIndex(message => message.id === last);
  return (
    <button
      type="button"
      onClick={onClick}
      className="absolute start-1/2 bottom-3 flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line-strong bg-raised ps-2.5 pe-3.5 text-sm font-medium shadow-pop hover:bg-panel"
    >
      <ArrowDown aria-hidden className="size-4" />
      {text.jump(seen < 0 ? 0 : messages.length - 1 - seen)}
    </button>
  );
}
