import { memo, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { Section } from './cut.ts';
import { Piece } from './piece.tsx';

/** How high a text is that was not rendered yet, for each of its characters. */
const heightGuess = 0.55;

interface SectionViewProps {
  pieces: Section;
  /** The piece after those, which may still change. */
  rest: string;
  live: boolean;
  /** Whether to wait until the reader comes near. */
  lazy: boolean;
}

/** Some pieces of a text that follow each other. */
export const SectionView = memo(function SectionView({ pieces, rest, live, lazy }: SectionViewProps) {
  const element = useRef<HTMLDivElement>(null);
  const stage = useStage(element, lazy);
  const guess = pieces.reduce((sum, piece) => sum + piece.length, 0) * heightGuess;
  if (stage === 'asleep') return <div ref={element} className="section" style={{ height: guess }} />;
  return (
    <div ref={element} className={stage === 'settled' ? 'section settled' : 'section'}>
      {pieces.map((source, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- pieces are only ever added at the end
        <Piece key={i} source={source} open={false} />
      ))}
      {rest.trim() && <Piece key={pieces.length} source={rest} open={live} />}
    </div>
  );
});

/** asleep: not rendered. awake: rendered and laid out. settled: laid out when it is near the view. */
type Stage = 'asleep' | 'awake' | 'settled';

function useStage(element: RefObject<HTMLElement | null>, lazy: boolean): Stage {
  const [stage, setStage] = useState<Stage>(lazy ? 'asleep' : 'awake');
  const heightAsleep = useRef<number>(undefined);

  useLayoutEffect(() => {
    const here = element.current!;
    const view = here.closest('[role=log]');
    if (stage === 'asleep') heightAsleep.current = here.offsetHeight;
    if (stage !== 'awake' || !view || heightAsleep.current === undefined) return;
    // What is above the view must not move what is in it. Not every engine sees to that.
    const isAbove = here.getBoundingClientRect().top < view.getBoundingClientRect().top;
    if (isAbove) view.scrollTop += here.offsetHeight - heightAsleep.current;
  }, [element, stage]);

  useEffect(() => {
    if (stage === 'asleep') {
      const near = new IntersectionObserver(([entry]) => entry?.isIntersecting && setStage('awake'), {
        root: element.current!.closest('[role=log]'),
        rootMargin: '100% 0px',
      });
      near.observe(element.current!);
      return () => near.disconnect();
    }
    if (stage === 'settled') return;
    // Two frames: in the first it gets the height that it is to keep while it is out of view.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setStage('settled'));
    });
    return () => cancelAnimationFrame(frame);
  }, [element, stage]);

  return stage;
}
