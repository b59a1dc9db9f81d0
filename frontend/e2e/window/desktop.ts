import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { Home } from '../program.ts';

const run = promisify(execFile);
const artifacts = resolve(import.meta.dirname, '../../../build/artifacts');

/** A bus that starts nothing: what the machine has installed must not matter. */
const bus = (folder: string) => `<busconfig>
  <type>session</type>
  <listen>unix:dir=${folder}</listen>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`;

interface DesktopWindow {
  id: string;
  shown: boolean;
}

/** A screen and a session bus of the tests' own, and what a person does with the windows there. */
export class Desktop {
  private constructor(
    private readonly home: Home,
    private readonly servers: ChildProcess[],
    /** What a program needs to know to be on this desktop. */
    readonly env: Record<string, string>,
    /** The library that lets a window be driven, for LD_PRELOAD. */
    readonly automation: string,
    /** The program that does to windows what a person would. */
    private readonly hand: string,
  ) {}

  static async start(): Promise<Desktop> {
    const home = await Home.make();
    const automation = await compile('automation.c', join(home.path, 'automation.so'), '-shared -fPIC', 'webkit2gtk-4.1');
    const hand = await compile('desktop.c', join(home.path, 'desktop'), '', 'gtk+-3.0 x11');
    const config = join(home.path, 'bus.conf');
    await writeFile(config, bus(home.path));

    const env = home.env();
    // Without -noreset it begins anew when its last window is gone, and refuses the window that opens just then.
    const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp', '-noreset'], {
      env,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const daemon = spawn('dbus-daemon', ['--config-file', config, '--nofork', '--nopidfile', '--print-address'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [display, address] = await Promise.all([firstLine(screen, screen.stdio[3] as Readable), firstLine(daemon, daemon.stdout)]);
    return new Desktop(home, [screen, daemon], { DISPLAY: `:${display}`, DBUS_SESSION_BUS_ADDRESS: address }, automation, hand);
  }

  async windows(): Promise<DesktopWindow[]> {
    const lines = (await this.#do('windows')).split('\n').filter(Boolean);
    return lines.map(line => {
      const [id, state] = line.split(' ');
      return { id: id!, shown: state === 'shown' };
    });
  }

  /** Puts the only window away, as minimising does. */
  async hide(): Promise<void> {
    await this.#do('hide', await this.#only());
  }

  /** Presses the close button of the only window. */
  async close(): Promise<void> {
    await this.#do('close', await this.#only());
  }

  /** Keeps what is on the screen in build/artifacts, and gives the number of its colours. */
  async picture(name: string): Promise<number> {
    await mkdir(artifacts, { recursive: true });
    return Number(await this.#do('picture', join(artifacts, name)));
  }

  async stop(): Promise<void> {
    for (const server of this.servers) {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    }
    await this.home.remove();
  }

  async #only(): Promise<string> {
    const windows = await this.windows();
    if (windows.length !== 1) throw new Error(`there are ${windows.length} windows`);
    return windows[0]!.id;
  }

  async #do(...args: string[]): Promise<string> {
    return (await run(this.hand, args, { env: this.home.env(this.env) })).stdout;
  }
}

/** Compiles a C file of this folder against system libraries. */
async function compile(source: string, target: string, flags: string, libraries: string): Promise<string> {
  const command = `gcc ${flags} -o "$2" "$1" $(pkg-config --cflags --libs ${libraries})`;
  await run('sh', ['-c', command, 'sh', join(import.meta.dirname, source), target]);
  return target;
}

/** Waits for the line by which a server says that it is ready, and where. */
async function firstLine(server: ChildProcess, stream: Readable): Promise<string> {
  const line = once(createInterface(stream), 'line') as Promise<[string]>;
  const ended = once(server, 'exit').then(([code]) => Promise.reject(new Error(`${server.spawnfile} ended with ${code}`)));
  return (await Promise.race([line, ended]))[0];
}
