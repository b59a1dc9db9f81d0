import type { Client } from '../api/client.ts';
import type { Agent } from '../api/types.gen.ts';
import { Store } from '../ui/store.ts';
import type { LiveVault } from '../vault/vault.ts';

/** The agents that a person can talk to, the default one first. None before the history is open. */
export class Agents extends Store<{ agents: Agent[] }> {
  constructor(
    private readonly client: Client,
    vault: LiveVault,
  ) {
    super({ agents: [] });
    vault.onOpen(() => void this.load());
  }

  async load(): Promise<void> {
    try {
      this.set(await this.client.agents());
    } catch {
      // The wire tells when it is worth asking again.
    }
  }
}

/** The demo agent plays scripts. Wherever it appears it is said to be one. */
export function isDemo(agent: Agent): boolean {
  return agent.harness === 'scripted';
}
