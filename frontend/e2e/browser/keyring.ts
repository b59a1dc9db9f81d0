import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Home } from '../program.ts';

/** Starts a keyring that is unlocked. One that runs gives way to it, and leaves it what it kept. */
const unlocked = 'printf pw | gnome-keyring-daemon --replace --unlock --components=secrets';

/** A bus with such a keyring on it, until its shell reads the end of its input. */
const session = `${unlocked} >&2 && echo "$DBUS_SESSION_BUS_ADDRESS" && read _`;

/** A keychain of a test's own: GNOME's, with nobody there to answer its dialogs. */
export class Keyring implements AsyncDisposable {
  private constructor(
    private readonly all: NodeJS.ProcessEnv,
    private readonly child: ChildProcess,
    private readonly ended: Promise<unknown>,
    /** What leads a program to it. */
    readonly env: { DBUS_SESSION_BUS_ADDRESS: string },
  ) {}

  /** Each keeps what it has in a folder of its own. */
  static async start(home: Home): Promise<Keyring> {
    const folder = await mkdtemp(join(home.path, 'keyring-'));
    const env = home.env({ XDG_DATA_HOME: folder, XDG_RUNTIME_DIR: folder });
    const child = spawn('dbus-run-session', ['--', 'sh', '-c', session], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const ended = once(child, 'exit');
    const [address] = (await once(createInterface(child.stdout), 'line')) as [string];
    const found = { DBUS_SESSION_BUS_ADDRESS: address };
    return new Keyring({ ...env, ...found }, child, ended, found);
  }

  /** Takes away what Parley keeps there. */
  empty(): Promise<unknown> {
    return this.#run('secret-tool', 'clear', 'service', 'parley');
  }

  lock(): Promise<unknown> {
    const lock = ['/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.Lock', 'array:objpath:/org/freedesktop/secrets/aliases/default'];
    return this.#run('dbus-send', '--session', '--print-reply', '--dest=org.freedesktop.secrets', ...lock);
  }

  /** What answering the dialog comes to. */
  unlock(): Promise<unknown> {
    return this.#run('sh', '-c', unlocked);
  }

  /** Takes it from the machine. */
  async end(): Promise<void> {
    this.child.stdin!.end();
    await this.ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  #run(program: string, ...args: string[]): Promise<unknown> {
    return promisify(execFile)(program, args, { env: this.all });
  }
}
