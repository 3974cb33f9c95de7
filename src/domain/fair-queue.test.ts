import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

function queueOf(...owners: readonly string[]): FairQueue<{ owner: string; n: number }> {
  const queue = new FairQueue<{ owner: string; n: number }>();
  for (const [n, owner] of owners.entries()) queue.push({ owner, n });
  return queue;
}

function takeAll(queue: FairQueue<{ owner: string; n: number }>): readonly string[] {
  const taken: string[] = [];
  for (let item = queue.shift(); item; item = queue.shift()) taken.push(`${item.owner}${item.n}`);
  return taken;
}

describe('a fair queue', () => {
  it('takes turns between owners and keeps the order of each', () => {
    expect(takeAll(queueOf('a', 'a', 'a', 'b', 'c', 'b'))).toEqual(['a0', 'b3', 'c4', 'a1', 'b5', 'a2']);
  });

  it('lets someone who comes late wait for one of each other, however many they have', () => {
    const queue = queueOf(...Array.from({ length: 100 }, () => 'a'), 'b');
    expect(queue.countBefore('c')).toBe(2);
    queue.push({ owner: 'c', n: 101 });
    expect(takeAll(queue).slice(0, 3)).toEqual(['a0', 'b100', 'c101']);
  });

  it('passes over owners that may not go now, who keep their place', () => {
    const queue = queueOf('a', 'b', 'a', 'b');
    expect(queue.shift(({ owner }) => owner !== 'a')).toEqual({ owner: 'b', n: 1 });
    expect(queue.shift(() => false)).toBeUndefined();
    expect(takeAll(queue)).toEqual(['a0', 'b3', 'a2']);
  });

  it('says how many come before a new one', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd')), fc.nat(20), (owners, takenCount) => {
        const queue = queueOf(...owners);
        for (let n = 0; n < takenCount; n += 1) queue.shift();
        const length = queue.length;
        const before = queue.countBefore('a');
        queue.push({ owner: 'a', n: -1 });
        const taken = takeAll(queue);
        expect(taken).toHaveLength(length + 1);
        // An owner that has had its turn in this round is counted once more than it comes.
        const at = taken.indexOf('a-1');
        expect(at).toBeLessThanOrEqual(before);
        expect(before - at).toBeLessThanOrEqual(3);
      }),
    );
  });

  it('lets an owner whose turn is over, or whose only item was removed, begin at the end of the line', () => {
    const afterTurn = queueOf('a', 'b');
    afterTurn.shift();
    const afterRemoval = queueOf('a', 'b');
    afterRemoval.remove(({ n }) => n === 0);
    for (const queue of [afterTurn, afterRemoval]) {
      queue.push({ owner: 'c', n: 2 });
      queue.push({ owner: 'a', n: 3 });
      expect(takeAll(queue)).toEqual(['b1', 'c2', 'a3']);
    }
  });

  it('removes one at a time, and nothing else of its owner', () => {
    const queue = queueOf('a', 'a', 'b');
    queue.remove(({ n }) => n === 0);
    expect(takeAll(queue)).toEqual(['a1', 'b2']);
    const other = queueOf('a', 'b');
    other.remove(() => true);
    expect(takeAll(other)).toEqual(['b1']);
  });

  it('forgets what is removed', () => {
    const queue = queueOf('a', 'b', 'a');
    queue.remove(({ n }) => n === 1);
    queue.remove(({ n }) => n === 7);
    expect([queue.length, queue.countOf('a'), queue.countOf('b')]).toEqual([2, 2, 0]);
    expect(queue.removeAll().map(({ n }) => n)).toEqual([0, 2]);
    expect([queue.length, queue.shift()]).toEqual([0, undefined]);
  });
});
