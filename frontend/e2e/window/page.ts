/** The Enter key, as WebDriver types it. */
export const enter = '\uE007';

const patience = 20_000; // milliseconds, for one command
const appears = 5_000; // milliseconds, within which an element is there that something is done to

/** The page in a window, driven by WebDriver. */
export class Page {
  private constructor(private readonly session: string) {}

  /** Opens the one session of the driver that listens there. */
  static async open(driver: string): Promise<Page> {
    const { sessionId } = await ask<{ sessionId: string }>('POST', `${driver}/session`, { capabilities: { alwaysMatch: { timeouts: { implicit: appears } } } });
    return new Page(`${driver}/session/${sessionId}`);
  }

  /** Types into whatever has the focus. */
  async type(text: string): Promise<void> {
    const focused = await ask<Record<string, string>>('GET', `${this.session}/element/active`);
    await ask('POST', `${this.session}/element/${idOf(focused)}/value`, { text });
  }

  async click(selector: string): Promise<void> {
    const found = await ask<Record<string, string>>('POST', `${this.session}/element`, { using: 'css selector', value: selector });
    await ask('POST', `${this.session}/element/${idOf(found)}/click`, {});
  }

  /** Runs a function in the page. It sees nothing but its arguments and what the page has. */
  run<A extends unknown[], R>(script: (...args: A) => R, ...args: A): Promise<Awaited<R>> {
    return ask('POST', `${this.session}/execute/sync`, { script: `return (${script}).apply(null, arguments)`, args });
  }
}

/** WebDriver gives an element as an object whose only value is its id. */
function idOf(element: Record<string, string>): string {
  return Object.values(element)[0]!;
}

async function ask<T>(method: string, url: string, body?: unknown): Promise<T> {
  const answer = await fetch(url, { method, body: JSON.stringify(body), signal: AbortSignal.timeout(patience) });
  const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } };
  if (!answer.ok) throw new Error(`${method} ${url}: ${value.error}: ${value.message}`);
  return value;
}
