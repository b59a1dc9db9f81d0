import type { Client } from '../api/client.ts';
import type { Harness } from '../api/types.gen.ts';
import type { Agents } from '../agents/agents.ts';
import { Store } from '../ui/store.ts';

interface State {
  isLooking: boolean;
  /** None before somebody has looked. */
  harnesses: Harness[] | undefined;
  /** Why the last look failed. */
  problem: string | undefined;
}

/** The programs that agents run in. Looking for them takes a moment, so nobody does before a person asks. */
export class Harnesses extends Store<State> {
  constructor(
    private readonly client: Client,
    private readonly agents: Agents,
  ) {
    super({ isLooking: false, harnesses: undefined, problem: undefined });
  }

  /** Looks, unless somebody has. */
  async look(): Promise<void> {
    if (!this.value.harnesses) await this.#take(() => this.client.harnesses());
  }

  /** Looks again. What has come since can be talked to. */
  async lookAgain(): Promise<void> {
    await this.#take(() => this.client.lookForHarnesses());
    await this.agents.load();
  }

  async #take(ask: () => Promise<{ harnesses: Harness[] }>): Promise<void> {
    if (this.value.isLooking) return;
    this.set({ isLooking: true, problem: undefined });
    try {
      this.set({ harnesses: (await ask()).harnesses });
    } catch (error) {
      this.set({ problem: (error as Error).message });
    } finally {
      this.set({ isLooking: false });
    }
  }
}
