/** What reads and writes the clipboard of the desktop. Reading may be refused. */
interface Board {
  read: () => Promise<string>;
  write: (text: string) => Promise<unknown>;
}

/** For how many milliseconds a secret stays on the clipboard. */
const keptFor = 60_000;

/** For how many milliseconds at most it holds up whoever wants it gone: a tab in the background may not look at the clipboard. */
const dropLimit = 500;

/** Puts secrets on the clipboard, and takes them off again. */
export class SecretClipboard {
  #copied: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly board: Board) {}

  /** Copies a secret for a minute, and says whether it will be taken off: who may not read the clipboard cannot tell what is on it. */
  async copy(secret: string): Promise<boolean> {
    clearTimeout(this.#timer);
    await this.board.write(secret);
    this.#copied = secret;
    this.#timer = setTimeout(() => void this.clear(), keptFor);
    return (await this.board.read().catch(() => undefined)) === secret;
  }

  /** Empties the clipboard, as far as that can be done in a moment: the page is about to go. */
  async drop(): Promise<void> {
    await Promise.race([this.clear(), new Promise(late => setTimeout(late, dropLimit))]);
  }

  /** Empties the clipboard if what was copied last is still on it. */
  async clear(): Promise<void> {
    const copied = this.#copied;
    clearTimeout(this.#timer);
    this.#copied = undefined;
    if (copied === undefined) return;
    const held = await this.board.read().catch(() => undefined);
    if (held === copied) await this.board.write('').catch(() => {});
  }
}
