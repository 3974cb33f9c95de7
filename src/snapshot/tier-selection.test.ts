import fc from 'fast-check';
import { expect, it } from 'vitest';
import { selectTiers } from './tier-selection.ts';

it('gives the page that a stable sort by tier gives, in both directions', () => {
  const tierLists = fc.array(fc.nat(4), { maxLength: 60 }).map((tiers) => Uint8Array.from(tiers));
  fc.assert(
    fc.property(
      tierLists,
      fc.nat(70),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom('asc' as const, 'desc' as const),
      (tiers, from, limit, direction) => {
        const sign = direction === 'asc' ? 1 : -1;
        const sorted = [...tiers.keys()].sort((a, b) => sign * ((tiers[a] ?? 0) - (tiers[b] ?? 0)) || a - b);
        const page = selectTiers(tiers, { from, to: from + limit, direction });
        expect(page).toEqual(sorted.slice(from, from + limit));
      },
    ),
    { numRuns: 500 },
  );
});
