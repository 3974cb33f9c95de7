// Time that passes only when nothing is left to do at the present moment. All timers of the code under simulation are events
// of this clock, so a day takes milliseconds and the order of events follows from the seed alone.

interface Event {
  readonly sequence: number;
  atMs: number;
  /** Repeats, and does nothing when there is nothing to do: time may leap over it. */
  readonly everyMs: number | undefined;
  readonly run: () => void;
}

interface Timer {
  unref(): Timer;
  ref(): Timer;
}

const START_MS = Date.UTC(2026, 0, 5);
const realImmediate = setImmediate;

export class VirtualClock {
  #nowMs = START_MS;
  #sequence = 0;
  /** Soonest first. */
  #events: Event[] = [];
  readonly #timers = new Map<unknown, Event>();

  get nowMs(): number {
    return this.#nowMs;
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  /** Since the beginning of the world. */
  get elapsedMs(): number {
    return this.#nowMs - START_MS;
  }

  after(delayMs: number, run: () => void): void {
    this.#add({ delayMs, everyMs: undefined, run });
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** When something happens next that is not just another look at the queues. */
  get nextMs(): number {
    return this.#events.find(({ everyMs }) => everyMs === undefined)?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Runs the next event, and all that follows from it at the same moment. */
  async step(): Promise<void> {
    const event = this.#events.shift();
    if (!event) throw new Error('nothing happens any more');
    this.#nowMs = Math.max(this.#nowMs, event.atMs);
    if (event.everyMs !== undefined) this.#insert(event, this.#nowMs + event.everyMs);
    event.run();
    await new Promise((resolve) => realImmediate(resolve));
  }

  /** Leaps ahead to a moment before which nobody has anything to do. */
  leapTo(moment: number): void {
    for (const event of [...this.#events]) {
      const { everyMs } = event;
      if (everyMs === undefined || event.atMs >= moment) continue;
      this.#events = this.#events.filter((other) => other !== event);
      this.#insert(event, event.atMs + Math.ceil((moment - event.atMs) / everyMs) * everyMs);
    }
  }

  /** Takes the place of Node's timers; what is returned gives them back. */
  install(): () => void {
    const real = { setTimeout, setInterval, clearTimeout, clearInterval };
    const clear = (timer: unknown) => {
      const event = this.#timers.get(timer);
      this.#timers.delete(timer);
      if (event) this.#events = this.#events.filter((other) => other !== event);
    };
    const start =
      (repeats: boolean) =>
      (run: (...values: unknown[]) => void, delayMs = 1, ...values: unknown[]) => {
        const everyMs = repeats ? delayMs : undefined;
        return this.#timer(this.#add({ delayMs, everyMs, run: () => run(...values) }));
      };
    Object.assign(globalThis, {
      setTimeout: start(false),
      setInterval: start(true),
      clearTimeout: clear,
      clearInterval: clear,
    });
    return () => Object.assign(globalThis, real);
  }

  #timer(event: Event): Timer {
    const timer: Timer = { unref: () => timer, ref: () => timer };
    this.#timers.set(timer, event);
    return timer;
  }

  #add({ delayMs, everyMs, run }: Pick<Event, 'everyMs' | 'run'> & { readonly delayMs: number }): Event {
    this.#sequence += 1;
    const event = { sequence: this.#sequence, atMs: this.#nowMs, everyMs, run };
    this.#insert(event, this.#nowMs + Math.max(0, delayMs));
    return event;
  }

  #insert(event: Event, atMs: number): void {
    event.atMs = atMs;
    let place = this.#events.length;
    for (let before = this.#events[place - 1]; before && before.atMs > atMs; before = this.#events[place - 1])
      place -= 1;
    this.#events.splice(place, 0, event);
  }
}
