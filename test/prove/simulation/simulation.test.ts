import { describe, expect, it } from 'vitest';

import { PLANTED_FAULTS } from './planted-faults.ts';
import { runSeed } from './run-seed.ts';

const WORLDS = 30;

describe('a simulated world', () => {
  it('is the same each time for the same seed, but for names that are drawn', async () => {
    const [first, second] = [await runSeed(5), await runSeed(5)];
    const plain = (trace: readonly string[]) => trace.map((line) => line.replace(/\.[0-9a-f]{8}/g, ''));
    expect(plain(first.trace)).toEqual(plain(second.trace));
    expect([first.steps, first.faults]).toEqual([second.steps, second.faults]);
    expect(first.faults).toBeGreaterThan(0);
  });

  it(`keeps every invariant, ${WORLDS} times`, async () => {
    for (let seed = 1; seed <= WORLDS; seed += 1) {
      const { violations, trace } = await runSeed(seed);
      expect(violations, `seed ${seed}\n${trace.join('\n')}`).toEqual([]);
    }
  });

  it('shows a planted fault', async () => {
    const planted = PLANTED_FAULTS.find(({ unsynced }) => unsynced === 'directory');
    const found: string[] = [];
    for (let seed = 1; found.length === 0; seed += 1) found.push(...(await runSeed(seed, planted)).violations);
    expect(found[0]).toContain('a power cut could damage it');
  });
});
