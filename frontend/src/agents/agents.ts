import type { Client } from '../api/client.ts';
import type { Agent, AgentDetails, AgentList } from '../api/types.gen.ts';
import type { Wire } from '../api/wire.ts';
import { Store } from '../ui/store.ts';
import type { LiveVault } from '../vault/vault.ts';

const none: AgentList = { agents: [], broken: [], own: '', trusted: false, choices: { harnesses: [], providers: [], tools: [] } };

/** The agents that there are, the default one first, and what a person does with them. None before the history is open. */
export class Agents extends Store<AgentList> {
  constructor(
    private readonly client: Client,
    wire: Wire,
    vault: LiveVault,
  ) {
    super(none);
    vault.onOpen(() => void this.load());
    wire.onAgentsNotice(() => void this.load());
  }

  async load(): Promise<void> {
    try {
      this.set({ project: undefined, ...(await this.client.agents()) });
    } catch {
      // The wire tells when it is worth asking again.
    }
  }

  put = (agent: AgentDetails) => this.#change(this.client.putAgent(agent));
  remove = (id: string) => this.#change(this.client.removeAgent(id));
  /** Makes a file of an agent that was made here, and gives its path. */
  save = (id: string, to: 'own' | 'project') => this.#change(this.client.saveAgent(id, to));
  trust = () => this.#change(this.client.trust());
  distrust = () => this.#change(this.client.distrust());

  /** Shows a change at once, whether or not a notice of it comes. */
  async #change<T>(done: Promise<T>): Promise<T> {
    const result = await done;
    await this.load();
    return result;
  }
}

/** An agent that plays scripts is a demo. Wherever one appears it is said to be one. */
export function isDemo(agent: Agent): boolean {
  return agent.harness === 'scripted';
}
