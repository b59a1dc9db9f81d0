import { useEffect, useRef, useState } from 'react';

/** Handlers that stay the same functions for ever, and do what they were told to last: whoever is given them is not drawn anew for it. */
export function useSteady<T extends { [name in keyof T]?: (...args: never[]) => unknown }>(handlers: T): T {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  const [steady] = useState(() => Object.fromEntries(Object.keys(handlers).map(name => [name, (...args: never[]) => latest.current[name as keyof T]?.(...args)])) as T);
  return steady;
}
