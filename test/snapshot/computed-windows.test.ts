import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ComputedWindows, MAX_WINDOWS } from '../../src/snapshot/computed-windows.ts';
import type { SummaryBuffers } from '../../src/snapshot/format/summaries.ts';

/** Six columns of two bytes. */
const BYTES = 12;

/** Windows of a set with a hundred periods, whose computations end when they are told to. */
function openWindows() {
  const computations: { readonly size: number; end(error?: Error): Promise<void> }[] = [];
  const attached = new Set<number>();
  const windows = new ComputedWindows<SummaryBuffers>({
    knownSize: 100,
    compute: (size) =>
      new Promise((resolve, reject) => {
        const end = async (error?: Error) => {
          if (error) reject(error);
          else resolve(buffers());
          await nextTurn();
        };
        computations.push({ size, end });
      }),
    attach: (size) => attached.add(size),
    detach: (size) => attached.delete(size),
  });
  const endNext = async (error?: Error): Promise<number | undefined> => {
    await nextTurn();
    const next = computations.shift();
    await next?.end(error);
    return next?.size;
  };
  return { windows, attached, endNext, computations };
}

function buffers(): SummaryBuffers {
  const bytes = (length: number) => new SharedArrayBuffer(length);
  return {
    ...{ 'best-rank': bytes(2), 'worst-rank': bytes(2), 'avg-rank': bytes(2), 'total-periods': bytes(2) },
    ...{ 'first-period': bytes(2), newcomer: bytes(2) },
  };
}

async function useOnce({ windows, endNext }: ReturnType<typeof openWindows>, size: number): Promise<void> {
  const held = windows.hold(size);
  if (held instanceof Promise) await endNext();
  (await held)[Symbol.dispose]();
}

describe('the summaries of a window', () => {
  it('are not computed for no period and for all of them', () => {
    const { windows } = openWindows();
    for (const size of [0, 100, 101]) expect(windows.hold(size)).not.toBeInstanceOf(Promise);
    expect(windows.sizes).toEqual([]);
  });

  it('are computed once for all who ask meanwhile, and are there at once for who asks later', async () => {
    const { windows, attached, endNext, computations } = openWindows();
    const holds = Array.from({ length: 50 }, () => windows.hold(6));
    expect(await endNext()).toBe(6);
    for (const held of await Promise.all(holds)) held[Symbol.dispose]();
    expect(windows.hold(6)).not.toBeInstanceOf(Promise);
    expect([computations, [...attached], windows.residentBytes]).toEqual([[], [6], BYTES]);
  });

  it('are computed one window after the other', async () => {
    const { windows, endNext, computations } = openWindows();
    const holds = [windows.hold(6), windows.hold(24)];
    await nextTurn();
    expect(computations.map(({ size }) => size)).toEqual([6]);
    expect(await endNext()).toBe(6);
    expect(await endNext()).toBe(24);
    await Promise.all(holds);
    expect(windows.sizes).toEqual([6, 24]);
  });

  it('are there for the others when the one who asked first has left', async () => {
    const { windows, endNext, computations } = openWindows();
    const leaving = new AbortController();
    const [first, second] = [windows.hold(6, leaving.signal), windows.hold(6)];
    leaving.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(await endNext()).toBe(6);
    (await second)[Symbol.dispose]();
    await expect(windows.hold(6, leaving.signal)).toBeDefined();
    expect(computations).toEqual([]);
  });

  it('that could not be computed are computed again for the next who asks', async () => {
    const { windows, attached, endNext } = openWindows();
    const [failed, behind] = [windows.hold(6), windows.hold(24)];
    const expectation = expect(failed).rejects.toThrow('out of memory');
    expect(await endNext(new Error('out of memory'))).toBe(6);
    await expectation;
    expect(await endNext()).toBe(24);
    (await behind)[Symbol.dispose]();
    expect([...attached]).toEqual([24]);
    const again = windows.hold(6);
    expect(await endNext()).toBe(6);
    (await again)[Symbol.dispose]();
    expect([...attached]).toEqual([24, 6]);
  });

  it(`are kept for the ${MAX_WINDOWS} windows that were used last`, async () => {
    const opened = openWindows();
    const { windows, attached } = opened;
    for (let size = 1; size <= MAX_WINDOWS; size += 1) await useOnce(opened, size);
    await useOnce(opened, 1);
    for (let size = 50; size < 53; size += 1) await useOnce(opened, size);
    const kept = [...Array.from({ length: MAX_WINDOWS - 4 }, (_, i) => i + 5), 1, 50, 51, 52];
    expect(windows.sizes).toEqual(kept);
    expect([...attached].toSorted()).toEqual(kept.toSorted());
    expect(windows.residentBytes).toBe(MAX_WINDOWS * BYTES);
  });

  it('stay while a search holds them, however many others are used', async () => {
    const opened = openWindows();
    const { windows, attached, endNext } = opened;
    const waiting = windows.hold(99);
    await endNext();
    const held = await waiting;
    for (let size = 1; size <= 2 * MAX_WINDOWS; size += 1) await useOnce(opened, size);
    expect(attached.has(99)).toBe(true);
    expect(attached.size).toBe(MAX_WINDOWS);
    held[Symbol.dispose]();
    await useOnce(opened, 50);
    expect(attached.has(99)).toBe(false);
  });
});
