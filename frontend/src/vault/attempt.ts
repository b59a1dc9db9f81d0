import { useEffect, useRef, useState } from 'react';

export interface Attempt {
  isRunning: boolean;
  /** Why the last one failed, or could not begin. */
  error: string | undefined;
  /** Tries, and says whether it worked. What is cancelled, or whose component goes away, did not, and leaves no error. */
  run: (what: (signal: AbortSignal) => Promise<void>) => Promise<boolean>;
  refuse: (why: string) => void;
  cancel: () => void;
}

/** Something that is asked of Parley, once at a time. */
export function useAttempt(): Attempt {
  const [state, set] = useState<{ isRunning: boolean; error?: string }>({ isRunning: false });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run: Attempt['run'] = async what => {
    const { signal } = (running.current = new AbortController());
    set({ isRunning: true });
    try {
      await what(signal);
      set({ isRunning: false });
      return true;
    } catch (error) {
      set({ isRunning: false, error: signal.aborted ? undefined : (error as Error).message });
      return false;
    }
  };
  return {
    isRunning: state.isRunning,
    error: state.error,
    run,
    refuse: error => set({ isRunning: false, error }),
    cancel: () => running.current?.abort(),
  };
}
