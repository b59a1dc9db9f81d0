import { Store } from '../ui/store.ts';

const saveAfter = 400;

/** Stores a draft. urgent: the page may be gone before the answer comes. */
type Save = (text: string, urgent: boolean) => Promise<unknown>;

/**
 * What a person has typed and not sent. It is stored a moment after the last key, one request at a time, so that an
 * earlier text never overtakes a later one.
 */
export class Draft extends Store<{ text: string }> {
  #saved = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(private readonly save: Save) {
    super({ text: '' });
  }

  /** Takes over what is stored, unless something was typed before that was known. */
  restore(stored: string): void {
    const untouched = this.value.text === this.#saved;
    this.#saved = stored;
    if (untouched) this.set({ text: stored });
  }

  edit(text: string): void {
    this.set({ text });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), saveAfter);
  }

  /** Stores what is not stored yet. What cannot be stored stays, and is tried again at the next flush. */
  flush({ urgent = false } = {}): Promise<void> {
    clearTimeout(this.#timer);
    const store = async () => {
      const { text } = this.value;
      if (text === this.#saved) return;
      try {
        await this.save(text, urgent);
        this.#saved = text;
      } catch {
        // It is still here, and still differs from what is stored.
      }
    };
    return (this.#saving = urgent ? store() : this.#saving.then(store));
  }

  /** Takes the text away to be sent. Sending it empties what is stored, so no request of ours may come after that. */
  async take(): Promise<string> {
    const { text } = this.value;
    clearTimeout(this.#timer);
    this.set({ text: '' });
    await this.#saving;
    this.#saved = '';
    return text;
  }

  /** Gives back what could not be sent, before whatever was typed since. */
  giveBack(text: string): void {
    this.edit([text, this.value.text].filter(Boolean).join('\n'));
  }
}
