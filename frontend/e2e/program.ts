import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** The program that `make build-headless` builds. */
export const program = resolve(import.meta.dirname, '../../build/bin/parley-headless');

/** What opens the door of a running Parley. */
export interface Door {
  url: string;
  token: string;
  pid: number;
}

/** A data folder of a test's own. */
export class Home {
  private constructor(readonly path: string) {}

  static async make(): Promise<Home> {
    const home = new Home(await mkdtemp(join(tmpdir(), 'parley-e2e-')));
    await writeFile(home.passphraseFile, 'for tests', { mode: 0o600 });
    return home;
  }

  private get passphraseFile(): string {
    return join(this.path, 'passphrase');
  }

  /**
   * The environment of a Parley that lives here: nothing of the person who runs the tests reaches it. Its history opens
   * without a person.
   */
  env(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, HOME: this.path, PARLEY_HOME: join(this.path, 'parley'), PARLEY_PASSPHRASE_FILE: this.passphraseFile, ...extra };
  }

  /** The processes of this home, Parley and all that it started: by their environment, their arguments or the folder that they work in. */
  async processes(): Promise<number[]> {
    const found: number[] = [];
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const told = await Promise.all([
        readFile(`/proc/${name}/environ`, 'utf8').catch(() => ''),
        readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => ''),
        readlink(`/proc/${name}/cwd`).catch(() => ''),
      ]);
      if (told.some(said => said.includes(this.path))) found.push(Number(name));
    }
    return found;
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

/** Parley served without a window. */
export class Served {
  private constructor(
    readonly door: Door,
    private readonly child: ChildProcess,
    private readonly ended: Promise<unknown>,
  ) {}

  /** addr is where to listen: port 0 is any that is free. */
  static async start(home: Home, extra: Record<string, string> = {}, addr = '127.0.0.1:0', args: string[] = []): Promise<Served> {
    const child = spawn(program, ['serve', '--json', '--addr', addr, ...args], { cwd: home.path, env: home.env(extra), stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const first = once(createInterface(child.stdout), 'line') as Promise<[string]>;
    const line = await Promise.race([first, ended.then(([code]) => Promise.reject(new Error(`parley serve ended with ${code}`)))]);
    return new Served(JSON.parse(line[0]) as Door, child, ended);
  }

  /** The address that a person opens. */
  get link(): string {
    return `${this.door.url}/#token=${this.door.token}`;
  }

  /** Ends it, if it has not ended yet. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    this.child.kill(signal);
    await this.ended;
  }
}
