import type { Client } from '../api/client.ts';
import type { Salvage, Unlocking, Vault } from '../api/types.gen.ts';
import type { Wire } from '../api/wire.ts';
import { Store } from '../ui/store.ts';

/**
 * What the door says of the vault, kept up to date: whether the history is open, and what a person can do if it is not.
 * It holds no secret: codes and passphrases pass through, and every method that takes one fails with an ApiError.
 */
export class LiveVault extends Store<{ vault: Vault | undefined; salvaged: Salvage | undefined }> {
  #isAnnounced = false; // that the history is open, since the wire was opened
  #asked = 0;
  #taken = 0; // the last question of which the answer counts
  #opened: (() => void)[] = [];
  #locked = () => {};

  constructor(
    private readonly client: Client,
    private readonly wire: Wire,
  ) {
    super({ vault: undefined, salvaged: undefined });
    client.onVaultLocked(() => void this.look());
    wire.onVaultNotice(() => void this.look());
    wire.subscribe(() => {
      this.#isAnnounced = false;
      if (wire.value.state === 'open') void this.look();
    });
  }

  get isOpen(): boolean {
    return this.value.vault?.state === 'ready';
  }

  /** Calls back each time that the history can be read anew: it was opened, or the connection to it was. */
  onOpen(listener: () => void): void {
    this.#opened.push(listener);
  }

  /** Calls back when an open history was locked, or another one took its place. A lost connection locks nothing. */
  onLock(listener: () => void): void {
    this.#locked = listener;
  }

  /** Asks the door. An answer that a newer one overtook is dropped. */
  async look(): Promise<void> {
    const asked = ++this.#asked;
    try {
      const vault = await this.client.vault();
      if (asked > this.#taken) this.#take(vault, asked);
    } catch {
      // The wire tells when it is worth asking again.
    }
  }

  /**
   * Opens the history. The signal is for the keychain, whose dialog may never be answered. Whoever gives a secret stays for
   * the answer: the history is told to be open before the keychain has its key again.
   */
  async unlock(by: Unlocking, signal?: AbortSignal): Promise<void> {
    this.#take(await this.client.unlock(by, signal));
  }

  async lock(): Promise<void> {
    this.#take(await this.client.lock());
  }

  async startNew(): Promise<void> {
    this.#take(await this.client.startNew());
  }

  async rotate(by: Unlocking): Promise<void> {
    this.#take(await this.client.rotate(by));
  }

  /** Goes on with what is left of a damaged history. What that is stays to be shown. */
  async salvage(by: Unlocking): Promise<void> {
    this.set({ salvaged: await this.client.salvage(by) });
    await this.look();
  }

  /** Deletes the history. What this page still shows of it is there no more. */
  async deleteEverything(confirm: string): Promise<void> {
    await this.client.deleteEverything(confirm);
  }

  /** Makes a recovery code, which opens nothing before it was confirmed. */
  async mintRecoveryCode(): Promise<string> {
    return (await this.client.mintRecoveryCode()).code;
  }

  async confirmRecoveryCode(code: string): Promise<void> {
    this.#take(await this.client.setRecoveryCode(code));
  }

  async setPassphrase(passphrase: string): Promise<void> {
    this.#take(await this.client.setPassphrase(passphrase));
  }

  async removePassphrase(): Promise<void> {
    this.#take(await this.client.removePassphrase());
  }

  /** Has the history locked when nobody has used it for so many minutes; 0 is never. */
  async setLockAfter(minutes: number): Promise<void> {
    this.#take(await this.client.setLockAfter(minutes));
  }

  /** Tells that somebody is here, so that the history does not lock itself. */
  async beActive(): Promise<void> {
    await this.client.beActive().catch(() => {}); // the next thing that the person does says what is wrong
  }

  /** Takes over what the door answered. What changed something is newer than whatever was asked before it ended. */
  #take(vault: Vault, asked = ++this.#asked): void {
    this.#taken = asked;
    const isAnother = this.value.vault !== undefined && this.value.vault.history !== vault.history;
    this.set({ vault });
    const isReadable = this.isOpen && this.wire.value.state === 'open';
    if (isReadable && this.#isAnnounced && isAnother) return this.#locked();
    if (isReadable === this.#isAnnounced) return;
    this.#isAnnounced = isReadable;
    if (!isReadable) return this.#locked();
    for (const listener of this.#opened) listener();
  }
}
