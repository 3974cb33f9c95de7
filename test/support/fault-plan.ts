// Makes the n-th call of what a loop uses fail, in every way in which a call can fail.
import type { Pool } from '../../src/postgres/pool.ts';

/** When a call fails, before or after it did its work, and how. */
export const FAULT_KINDS = [
  'rejects before',
  'rejects after',
  'rejects with no error',
  'rejects with nothing',
  'throws at once',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

interface WrapOptions<T> {
  /** Methods that give no promise, and so can only throw. */
  readonly atOnce?: readonly (keyof T)[];
  /** The only methods that may fail; all by default. */
  readonly only?: readonly (keyof T)[];
}

export class FaultPlan {
  readonly #kind: FaultKind;
  #left: number;

  /** The call with this number fails, counted from 1 over everything that is wrapped. */
  constructor(kind: FaultKind, callNumber: number) {
    this.#kind = kind;
    this.#left = callNumber;
  }

  get hasStruck(): boolean {
    return this.#left <= 0;
  }

  /** The same, with methods that may fail. */
  wrap<T extends object>(target: T, { atOnce = [], only }: WrapOptions<T> = {}): T {
    return new Proxy(target, {
      get: (_proxy, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const mayFail = only === undefined || only.some((each) => each === name);
        if (typeof name === 'symbol' || !mayFail) return value.bind(target);
        const kind = atOnce.some((each) => each === name) ? 'throws at once' : this.#kind;
        return (...values: unknown[]) => this.#call(kind, () => Reflect.apply(value, target, values));
      },
    });
  }

  /** A pool on which every statement may fail, also those within transactions. */
  wrapPool(pool: Pool): Pool {
    const lend = async () => this.wrap(await pool.connect(), { only: ['query'] });
    return new Proxy(this.wrap(pool, { only: ['query'] }), {
      get: (wrapped, name) => (name === 'connect' ? lend : Reflect.get(wrapped, name)),
    });
  }

  #call(kind: FaultKind, work: () => unknown): unknown {
    this.#left -= 1;
    if (this.#left !== 0) return work();
    const fault = new Error('planted');
    switch (kind) {
      case 'rejects before':
        return Promise.reject(fault);
      case 'rejects with no error':
        return Promise.reject(Object.create(null));
      case 'rejects with nothing':
        return Promise.reject(undefined);
      case 'rejects after':
        return Promise.resolve(work()).then(() => Promise.reject(fault));
      case 'throws at once':
        throw fault;
    }
  }
}
