import type { DraftFile, Uploaded } from '../api/types.gen.ts';
import { Store } from '../ui/store.ts';
import { text as words } from '../ui/text.ts';
import type { Said } from './message.ts';

const saveAfter = 400;

/** What is larger is not sent to be refused. The server takes less of most files. */
const largest = 15 * 2 ** 20;

/** A file of a draft. It can be sent once it has a url; until then it is on its way, or was refused. */
export interface Attached {
  id: string;
  name: string;
  mediaType: string; // as its content says, once it has a url
  size?: number; // where it is known
  url?: string;
  problem?: string; // why it was not taken
}

interface DraftState {
  text: string;
  files: Attached[];
}

/** A draft as the server keeps it. */
interface Kept {
  draft: string;
  draftFiles: DraftFile[];
}

interface Server {
  /** Stores a draft. urgent: the page may be gone before the answer comes. */
  save: (kept: Kept, urgent: boolean) => Promise<unknown>;
  upload: (content: ArrayBuffer) => Promise<Uploaded>;
}

/** Whether it can be sent as it is. */
export function isWhole({ text, files }: DraftState): boolean {
  return (text.trim() !== '' || files.length > 0) && files.every(({ url }) => url);
}

/**
 * What a person has typed, and attached, and not sent. It is stored a moment after the last key, one request at a time, so
 * that an earlier text never overtakes a later one.
 */
export class Draft extends Store<DraftState> {
  #saved: Kept = { draft: '', draftFiles: [] };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(private readonly server: Server) {
    super({ text: '', files: [] });
  }

  /** Takes over what is stored, unless something was typed or attached before that was known. */
  restore({ draft, draftFiles }: Kept): void {
    const untouched = isSame(this.kept, this.#saved) && this.value.files.every(({ url }) => url);
    this.#saved = { draft, draftFiles };
    if (untouched) this.set({ text: draft, files: draftFiles.map(file => ({ mediaType: '', ...file, id: crypto.randomUUID() })) });
  }

  /** What the server keeps of it. */
  get kept(): Kept {
    const { text, files } = this.value;
    return { draft: text, draftFiles: files.flatMap(({ url, name }) => (url ? [{ url, name }] : [])) };
  }

  edit(text: string): void {
    this.set({ text });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), saveAfter);
  }

  /** Takes files in, and brings each to the server. */
  async attach(files: File[]): Promise<void> {
    await Promise.all(files.map(file => this.#bring(file)));
    await this.flush();
  }

  detach(id: string): void {
    this.set({ files: this.value.files.filter(file => file.id !== id) });
    void this.flush();
  }

  /** Stores what is not stored yet. What cannot be stored stays, and is tried again at the next flush. */
  flush({ urgent = false } = {}): Promise<void> {
    clearTimeout(this.#timer);
    const store = async () => {
      const kept = this.kept;
      if (isSame(kept, this.#saved)) return;
      try {
        await this.server.save(kept, urgent);
        this.#saved = kept;
      } catch {
        // It is still here, and still differs from what is stored.
      }
    };
    return (this.#saving = urgent ? store() : this.#saving.then(store));
  }

  /**
   * Takes away what can be sent. Sending it empties what is stored, so no request of ours may come after that. What is on its
   * way, or was refused, stays.
   */
  async take(): Promise<Said> {
    const { text, files } = this.value;
    const taken = files.flatMap(({ url, mediaType, name }) => (url ? [{ type: 'file' as const, mediaType, filename: name, url }] : []));
    clearTimeout(this.#timer);
    this.set({ text: '', files: files.filter(({ url }) => !url) });
    await this.#saving;
    this.#saved = { draft: '', draftFiles: [] };
    return { text: text.trim(), files: taken };
  }

  /** Gives back what could not be sent, before whatever was typed and attached since. */
  giveBack({ text, files }: Said): void {
    const back = files.map(({ filename = '', mediaType, url }) => ({ id: crypto.randomUUID(), name: filename, mediaType, url }));
    this.set({ files: [...back, ...this.value.files] });
    this.edit([text, this.value.text].filter(Boolean).join('\n'));
  }

  async #bring(file: File): Promise<void> {
    const attached = { id: crypto.randomUUID(), name: file.name, mediaType: file.type, size: file.size };
    this.set({ files: [...this.value.files, attached] });
    const note = (news: Partial<Attached>) =>
      this.set({ files: this.value.files.map(other => (other.id === attached.id ? { ...other, ...news } : other)) });
    if (file.size > largest) return note({ problem: words.attach.tooLarge });
    const content = await file.arrayBuffer().catch(() => undefined);
    if (!content) return note({ problem: words.attach.unreadable });
    try {
      const { url, mediaType } = await this.server.upload(content);
      note({ url, mediaType });
    } catch (error) {
      note({ problem: (error as Error).message });
    }
  }
}

function isSame(a: Kept, b: Kept): boolean {
  const urls = ({ draftFiles }: Kept) => draftFiles.map(({ url }) => url).join();
  return a.draft === b.draft && urls(a) === urls(b);
}
