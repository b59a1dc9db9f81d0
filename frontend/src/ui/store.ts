import { useSyncExternalStore } from 'react';

/** A value that others watch. Whoever extends it changes it; everybody else reads. */
export class Store<T extends object> {
  #value: T;
  #watchers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  protected set(change: Partial<T>): void {
    this.#value = { ...this.#value, ...change };
    for (const watcher of this.#watchers) watcher();
  }

  subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  };
}

/** What select picks of a store, watched. It must pick, not build: the same value has to be the same object. */
export function useStore<T extends object, S>(store: Store<T>, select: (value: T) => S): S {
  return useSyncExternalStore(store.subscribe, () => select(store.value));
}
