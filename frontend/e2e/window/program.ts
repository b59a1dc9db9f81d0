import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';

const lifetime = 50_000; // milliseconds, after which a program that does not end by itself is ended

/** A program that runs, and what it said. */
export class Program {
  readonly ended: Promise<number | null>;
  #said = '';
  readonly #child: ChildProcess;

  constructor(path: string, args: string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(path, args, { env, stdio: ['ignore', 'ignore', 'pipe'], timeout: lifetime, killSignal: 'SIGKILL' });
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
    this.ended = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Waits until the program has said this. */
  async says(words: string): Promise<void> {
    const isSaid = vi.waitUntil(() => this.#said.includes(words), { timeout: 15_000, interval: 10 });
    const isOver = this.ended.then(code => Promise.reject(new Error(`it ended with ${code}, having said:\n${this.#said}`)));
    await Promise.race([isSaid, isOver]);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
