// What is computed of windows of one generation: the summaries of those narrower than all periods, and the seasons of any. Each is computed by
// search threads when it is first needed, once for all who wait for it, and shared by all threads; one after the other, so that searches
// keep the other threads. The windows that were used last are kept, and those that searches hold.
import type { Cancellation } from '../domain/cancellation.ts';

type Buffers = Readonly<Record<string, SharedArrayBuffer>>;

export interface ComputedWindowsOptions<Computed> {
  /** Windows of at least so many periods need nothing. */
  readonly knownSize: number;
  readonly compute: (size: number) => Promise<Computed>;
  readonly attach: (size: number, buffers: Computed) => void;
  readonly detach: (size: number) => void;
}

interface Entry<Computed> {
  holders: number;
  buffers: Computed | undefined;
  readonly ready: Promise<void>;
}

/** LRU bound. A set with more windows in use computes some of them again and again. */
export const MAX_WINDOWS = 16;

const NOTHING_HELD: Disposable = { [Symbol.dispose]: () => {} };

export class ComputedWindows<Computed extends Buffers> {
  readonly #options: ComputedWindowsOptions<Computed>;
  /** By number of newest periods; the one that was used last is at the end. */
  readonly #entries = new Map<number, Entry<Computed>>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: ComputedWindowsOptions<Computed>) {
    this.#options = options;
  }

  /** Threads have what is computed of the window until it is disposed of; without a promise when they have them already. */
  hold(size: number, signal?: Cancellation): Disposable | Promise<Disposable> {
    if (size === 0 || size >= this.#options.knownSize) return NOTHING_HELD;
    const entry = this.#entries.get(size) ?? this.#start(size);
    this.#entries.delete(size);
    this.#entries.set(size, entry);
    entry.holders += 1;
    const release = (): void => {
      entry.holders -= 1;
      this.#evict();
    };
    const held: Disposable = { [Symbol.dispose]: release };
    if (entry.buffers) return held;
    return unlessAborted(entry.ready, signal).then(
      () => held,
      (error: unknown) => {
        release();
        throw error;
      },
    );
  }

  /** Those that are there, the one that was used last at the end. */
  get sizes(): readonly number[] {
    return [...this.#entries].flatMap(([size, { buffers }]) => (buffers ? [size] : []));
  }

  get residentBytes(): number {
    const buffers = [...this.#entries.values()].flatMap((entry) =>
      Object.values<SharedArrayBuffer>(entry.buffers ?? {}),
    );
    return buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Hands all to threads that do not have them yet. */
  attachAll(): void {
    for (const [size, { buffers }] of this.#entries) if (buffers) this.#options.attach(size, buffers);
  }

  #start(size: number): Entry<Computed> {
    const { compute, attach } = this.#options;
    const entry: Entry<Computed> = {
      holders: 0,
      buffers: undefined,
      // Whoever asked first may leave; the others wait for it all the same.
      ready: this.#last.then(async () => {
        entry.buffers = await compute(size);
        attach(size, entry.buffers);
        this.#evict();
      }),
    };
    // What failed is forgotten, so that the next who asks tries again.
    this.#last = entry.ready.catch(() => void this.#entries.delete(size));
    return entry;
  }

  #evict(): void {
    let excess = this.sizes.length - MAX_WINDOWS;
    for (const [size, { holders, buffers }] of this.#entries) {
      if (excess <= 0) return;
      if (holders > 0 || !buffers) continue;
      this.#entries.delete(size);
      this.#options.detach(size);
      excess -= 1;
    }
  }
}

async function unlessAborted(work: Promise<void>, signal: Cancellation | undefined): Promise<void> {
  if (!signal) return await work;
  if (signal.aborted) throw signal.reason;
  let abort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', abort);
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
