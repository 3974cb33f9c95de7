import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { JobLoop } from './job-loop.ts';

const NEVER_MS = 3_600_000;

/** A loop whose looks end when the test says so. */
function openLoop(everyMs = NEVER_MS) {
  const looks: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  const loop = new JobLoop({
    work: () => {
      const look = makeResolvers();
      looks.push(look);
      return look.promise;
    },
    everyMs,
    onError: (error) => errors.push(error),
  });
  const untilLooks = async (count: number) => {
    while (looks.length < count) await sleep(1);
  };
  return { loop, looks, errors, untilLooks };
}

function makeResolvers(): PromiseWithResolvers<void> {
  let [resolve, reject] = [() => {}, (_error: unknown) => {}];
  const promise = new Promise<void>((onResolve, onReject) => {
    [resolve, reject] = [onResolve, onReject];
  });
  return { promise, resolve, reject };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

describe('a job loop', () => {
  it('looks at once, and not again until it is woken', async () => {
    const { loop, looks, untilLooks } = openLoop();
    expect(looks).toHaveLength(1);
    looks[0]?.resolve();
    await sleep(20);
    expect(looks).toHaveLength(1);
    loop.wake();
    await untilLooks(2);
    looks[1]?.resolve();
    await loop[Symbol.asyncDispose]();
  });

  it('looks once more when it was woken during a look, however often, and never twice at once', async () => {
    const { loop, looks, untilLooks } = openLoop();
    loop.wake();
    loop.wake();
    await sleep(20);
    expect(looks).toHaveLength(1);
    looks[0]?.resolve();
    await untilLooks(2);
    looks[1]?.resolve();
    await sleep(20);
    expect(looks).toHaveLength(2);
    await loop[Symbol.asyncDispose]();
  });

  it('looks every now and then without being woken', async () => {
    const { loop, looks, untilLooks } = openLoop(5);
    looks[0]?.resolve();
    await untilLooks(2);
    looks[1]?.resolve();
    await loop[Symbol.asyncDispose]();
  });

  it('goes on after a failure, which it tells', async () => {
    const { loop, looks, errors, untilLooks } = openLoop();
    const failure = new Error('look failed');
    looks[0]?.reject(failure);
    await sleep(20);
    expect(errors).toEqual([failure]);
    loop.wake();
    await untilLooks(2);
    looks[1]?.resolve();
    await loop[Symbol.asyncDispose]();
  });

  it('begins nothing once it is stopped, and ends after the look that is under way', async () => {
    const { loop, looks } = openLoop(5);
    expect(loop.isStopped).toBe(false);
    let isEnded = false;
    const ended = loop[Symbol.asyncDispose]().then(() => {
      isEnded = true;
    });
    expect(loop.isStopped).toBe(true);
    loop.wake();
    await sleep(20);
    expect(isEnded).toBe(false);
    looks[0]?.resolve();
    await ended;
    await sleep(20);
    expect(looks).toHaveLength(1);
  });

  it('leaves no timer behind that would keep the process alive', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const loop = new JobLoop({ work: async () => {}, everyMs: 5, onError: () => {} });
      expect(vi.getTimerCount()).toBe(1);
      loop.stop();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
