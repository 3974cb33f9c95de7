import { describe, expect, it } from 'vitest';
import { JoinedRun } from './joined-run.ts';

describe('a joined run', () => {
  it('serves all who ask while one is under way by the next, which begins after it', async () => {
    const ends: (() => void)[] = [];
    const joined = new JoinedRun(() => new Promise((resolve) => ends.push(resolve)));
    const settled: string[] = [];
    const start = (name: string) => joined.start().then(() => settled.push(name));
    const all = [start('first'), start('second'), start('third')];
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await all[0];
    await new Promise(setImmediate);
    expect([settled, ends.length]).toEqual([['first'], 2]);
    ends[1]?.();
    await Promise.all(all);
    expect([settled.length, ends.length]).toEqual([3, 2]);
  });

  it('goes on after one that failed', async () => {
    let count = 0;
    const joined = new JoinedRun(async () => {
      count += 1;
      if (count === 1) throw new Error('no');
    });
    const [first, second] = [joined.start(), joined.start()];
    await expect(first).rejects.toThrow('no');
    await second;
    expect(count).toBe(2);
  });
});
