import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Home } from '../program.ts';

/** A bus with a keyring on it that is unlocked, until its shell reads the end of its input. */
const session = 'printf pw | gnome-keyring-daemon --unlock --components=secrets >&2 && echo "$DBUS_SESSION_BUS_ADDRESS" && read _';

/** A keychain of a test's own: GNOME's, with nobody there to answer its dialogs. */
export class Keyring implements AsyncDisposable {
  private constructor(
    private readonly home: Home,
    private readonly child: ChildProcess,
    private readonly ended: Promise<unknown>,
    /** What leads a program to it. */
    readonly env: { DBUS_SESSION_BUS_ADDRESS: string },
  ) {}

  static async start(home: Home): Promise<Keyring> {
    const child = spawn('dbus-run-session', ['--', 'sh', '-c', session], { env: home.env(), stdio: ['pipe', 'pipe', 'ignore'] });
    const ended = once(child, 'exit');
    const [address] = (await once(createInterface(child.stdout), 'line')) as [string];
    return new Keyring(home, child, ended, { DBUS_SESSION_BUS_ADDRESS: address });
  }

  /** Takes away what Parley keeps there. */
  empty(): Promise<void> {
    return this.#run('secret-tool', 'clear', 'service', 'parley');
  }

  lock(): Promise<void> {
    const lock = ['/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.Lock', 'array:objpath:/org/freedesktop/secrets/aliases/default'];
    return this.#run('dbus-send', '--session', '--print-reply', '--dest=org.freedesktop.secrets', ...lock);
  }

  async #run(program: string, ...args: string[]): Promise<void> {
    await promisify(execFile)(program, args, { env: this.home.env(this.env) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin!.end();
    await this.ended;
  }
}
