import type { World } from './world.ts';

/** A server or an import. Whatever it asks of the outside takes time, and nothing comes back to one that has died. */
export class SimulatedProcess {
  readonly name: string;
  readonly world: World;
  readonly #onDeath: (() => void)[] = [];
  #isAlive = true;

  constructor(world: World, name: string) {
    this.world = world;
    this.name = name;
    world.processes.set(name, this);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Where this process sees the data directory: the path tells the disk who asks. */
  get dataDirectory(): string {
    return `${SIMULATED_ROOT}/${this.name}/data`;
  }

  onDeath(run: () => void): void {
    this.#onDeath.push(run);
  }

  /** As kill -9 does: at once, wherever it is. */
  kill(reason: string): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.world.note(this.name, `killed: ${reason}`);
    this.world.processes.delete(this.name);
    for (const run of this.#onDeath) run();
  }

  /** One call to the outside. Death may come before or after it has had its effect. */
  async call<T>(what: string, effect: () => T | Promise<T>): Promise<T> {
    const { world } = this;
    const delayMs = world.drawDelayMs();
    if (delayMs > 0) await this.sleep(delayMs);
    world.note(this.name, what);
    if (world.strikes('kill')) this.kill(`before ${what}`);
    if (!this.#isAlive) return await NEVER;
    try {
      const result = await effect();
      if (world.strikes('kill')) this.kill(`after ${what}`);
      return this.#isAlive ? result : await NEVER;
    } catch (error) {
      world.note(this.name, `${what} failed: ${error instanceof Error ? error.message : String(error)}`);
      if (!this.#isAlive) return await NEVER;
      throw error;
    }
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.world.clock.after(delayMs, () => {
        if (this.#isAlive) resolve();
      });
    });
  }
}

export const SIMULATED_ROOT = '/simulated';

const NEVER = new Promise<never>(() => {});
