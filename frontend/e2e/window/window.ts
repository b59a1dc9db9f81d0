import { createServer, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { vi } from 'vitest';
import { text } from '../../src/ui/text.ts';
import type { Home } from '../program.ts';
import type { Desktop } from './desktop.ts';
import { enter, Page } from './page.ts';
import { Program } from './program.ts';

const binary = resolve(import.meta.dirname, '../../../build/bin/parley');

/** Parley in its window, from the program that `make build` builds: what a person does there, and reads. */
export class ParleyWindow {
  private constructor(
    readonly page: Page,
    private readonly parley: Program,
    private readonly driver: Program,
  ) {}

  /** Starts Parley and waits until its page can be seen. */
  static async open(home: Home, desktop: Desktop): Promise<ParleyWindow> {
    const [inspector, port] = [await freePort(), await freePort()];
    const parley = new Program(binary, [], {
      ...home.env(desktop.env),
      LD_PRELOAD: desktop.automation,
      WEBKIT_INSPECTOR_SERVER: `127.0.0.1:${inspector}`,
      PARLEY_LOG: 'debug',
    });
    const driver = new Program('WebKitWebDriver', [`--port=${port}`, `--target=127.0.0.1:${inspector}`], home.env());
    try {
      await parley.says('msg=painted');
      const address = `http://127.0.0.1:${port}`;
      await vi.waitFor(() => fetch(`${address}/status`), { timeout: 5_000, interval: 10 });
      return new ParleyWindow(await Page.open(address), parley, driver);
    } catch (error) {
      for (const program of [parley, driver]) program.signal('SIGKILL');
      throw error;
    }
  }

  get pid(): number {
    return this.parley.pid;
  }

  /** Writes into the message box, which has the focus, as it always has. */
  async write(draft: string): Promise<void> {
    await this.page.type(draft);
  }

  async say(message: string): Promise<void> {
    await this.write(message + enter);
  }

  /** What is written and not sent. */
  draft(): Promise<string> {
    return this.page.run(() => document.querySelector('textarea')!.value);
  }

  async pressStop(): Promise<void> {
    await this.page.click(`button[aria-label="${text.composer.stop}"]`);
  }

  /** Goes to the newest session in the list. */
  async goToNewest(): Promise<void> {
    await this.page.click('nav li a');
  }

  /** All that the page says. */
  text(): Promise<string> {
    return this.page.run(() => document.body.innerText);
  }

  /** Waits until what the page is now can be seen. */
  async painted(): Promise<void> {
    await this.page.run(() => new Promise<void>(seen => requestAnimationFrame(() => requestAnimationFrame(() => seen()))));
  }

  isAnswering(): Promise<boolean> {
    return this.page.run(() => document.querySelector('[role=log]')?.ariaBusy === 'true');
  }

  /** What the last turn says. */
  turn(): Promise<string> {
    return this.page.run(() => [...document.querySelectorAll('article')].at(-1)?.innerText ?? '');
  }

  /** The numbers of the deltas in the last turn: the demo agent counts them as it says them. */
  async deltas(): Promise<number[]> {
    const said = await this.turn();
    return Array.from(said.matchAll(/\bw(\d{7})\b/g), ([, number]) => Number(number));
  }

  /** Ends Parley as the end of a desktop session does. */
  terminate(): void {
    this.parley.signal('SIGTERM');
  }

  /** Waits for the end of the program, and gives its exit code. */
  async ended(): Promise<number | null> {
    const code = await this.parley.ended;
    this.driver.signal('SIGTERM');
    await this.driver.ended;
    return code;
  }
}

/** Starts Parley once more, as a person does who forgot that it is open. Gives its exit code. */
export function startAgain(home: Home, desktop: Desktop): Promise<number | null> {
  return new Program(binary, [], home.env(desktop.env)).ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise(closed => server.close(closed));
  return port;
}
