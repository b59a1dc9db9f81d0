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
  #flushes = 0; // that are under way
  #isOver = false;

  constructor(
    private readonly shelf: Shelf,
    /** What is unsaved; undefined if nothing is. */
    private readonly unsaved: () => string | undefined,
    /** What lies there; null if that is not known. */
    private kept: string | undefined | null,
    /** Hears why it could not be kept, or that it is. */
    private readonly went: (why: string | undefined) => void,
  ) {}

  /** Says that something may have changed. */
  soon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), keepAfter);
  }

  /** Says that something else may lie there than what was put there. */
  again(): void {
    this.kept = null;
    this.soon();
  }

  /** Takes away what is kept here, for good. */
  end(): Promise<void> {
    this.#isOver = true;
    return this.flush();
  }

  /** Keeps what is not kept yet. urgent: the page may be gone before the answer comes, so it does not wait for what is under way. */
  flush({ urgent = false } = {}): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const before = this.#storing;
    const isAlone = this.#flushes++ === 0;
    const stored = urgent ? this.#store(true) : before.then(() => this.#store());
    const surely = urgent && !isAlone ? Promise.all([before, stored]).then(() => this.#storeAgain()) : stored;
    return (this.#storing = surely.finally(() => this.#flushes--));
  }

  async #store(urgent = false): Promise<void> {
    const unsaved = this.#isOver ? undefined : this.unsaved();
    if (unsaved === this.kept) return;
    try {
      await (unsaved === undefined ? this.shelf.clear() : this.shelf.put(unsaved, urgent));
      this.kept = unsaved;
      this.went(undefined);
    } catch (error) {
      this.went((error as Error).message);
    }
  }

  /** Keeps what is unsaved after two requests of which either may have come last. */
  #storeAgain(): Promise<void> {
    this.kept = null;
    return this.#store();
  }
}
