const keepAfter = 400;

interface Shelf {
  put: (source: string, urgent: boolean) => Promise<unknown>;
  clear: () => Promise<unknown>;
}

/**
 * Keeps unsaved work where a crash does not reach it: a moment after it changed, one request at a time, so that what was there
 * earlier never overtakes what came later. What cannot be kept is tried again the next time.
 */
export class Keeping {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #storing: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(
    private readonly shelf: Shelf,
    /** What is unsaved; undefined if nothing is. */
    private readonly unsaved: () => string | undefined,
    /** What lies there. */
    private kept: string | undefined,
    /** Hears why it could not be kept, or that it is. */
    private readonly went: (why: string | undefined) => void,
  ) {}

  /** Says that something may have changed. */
  soon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), keepAfter);
  }

  /** Takes away what is kept here, for good. */
  end(): Promise<void> {
    this.#isOver = true;
    return this.flush();
  }

  /** Keeps what is not kept yet. urgent: the page may be gone before the answer comes. */
  flush({ urgent = false } = {}): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const store = async () => {
      const unsaved = this.#isOver ? undefined : this.unsaved();
      if (unsaved === this.kept) return;
      try {
        await (unsaved === undefined ? this.shelf.clear() : this.shelf.put(unsaved, urgent));
        this.kept = unsaved;
        this.went(undefined);
      } catch (error) {
        this.went((error as Error).message);
      }
    };
    return (this.#storing = urgent ? store() : this.#storing.then(store));
  }
}
