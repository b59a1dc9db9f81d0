import type { Client } from '../api/client.ts';
import type { Editor } from './editor.ts';

const checkAfter = 250;

/** Has the door check what is edited, a moment after it changed: one request at a time, about what is there by then. */
export class Checking {
  #seen: unknown;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | undefined;

  constructor(
    private readonly editor: Editor,
    private readonly client: Client,
    /** Hears why the last check could not be made, or that there is nothing to be checked. */
    private readonly went: (why: string | undefined) => void,
  ) {
    editor.subscribe(() => this.#look());
    this.#look();
  }

  /** Checks now what was not checked yet, and says whether that went well. */
  async now(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    await this.#running;
    return this.editor.value.unchecked === undefined;
  }

  #look(): void {
    const { unchecked } = this.editor.value;
    if (unchecked === this.#seen) return;
    this.#seen = unchecked;
    clearTimeout(this.#timer);
    if (unchecked) this.#timer = setTimeout(() => void this.now(), checkAfter);
    else this.went(undefined);
  }

  async #run(): Promise<void> {
    for (let asked = this.editor.value.unchecked; asked; asked = this.editor.value.unchecked) {
      try {
        this.editor.checked(asked, await this.client.checkWorkflow(asked));
      } catch (error) {
        return this.went((error as Error).message);
      }
    }
  }
}
