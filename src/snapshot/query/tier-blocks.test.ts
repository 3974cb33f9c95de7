import fc from 'fast-check';
import { expect, it } from 'vitest';
import { selectTiers, TIER_BY_TIER, TierBlocks, type TieredDocuments, UNKNOWN_TIER } from './tier-blocks.ts';

const tierLists = fc.array(fc.nat(4), { maxLength: 100 });
const slices = fc.record({ from: fc.nat(120), limit: fc.integer({ min: 1, max: 40 }) });

/** Documents from a number on, in order. */
function tieredOf(tiers: readonly number[], first: number): TieredDocuments {
  const documents = Uint32Array.from(tiers, (_, i) => first + i);
  return { documents, marks: Uint16Array.from(tiers), tierByMark: TIER_BY_TIER };
}

it('gives the page that a stable sort by tier gives, in both directions, of one list or of two', () => {
  fc.assert(
    fc.property(
      tierLists,
      tierLists,
      slices,
      fc.constantFrom('asc' as const, 'desc' as const),
      (first, second, { from, limit }, direction) => {
        const sign = direction === 'asc' ? 1 : -1;
        const tiers = [...first, ...second];
        const sorted = [...tiers.keys()].sort((a, b) => sign * ((tiers[a] ?? 0) - (tiers[b] ?? 0)) || a - b);
        const groups = [tieredOf(first, 0), tieredOf(second, first.length)].map((list) => new TierBlocks(list));
        for (const blocks of groups) blocks.lookAtAll();
        const page = selectTiers(groups, { from, to: from + limit, direction });
        expect(page).toEqual(sorted.slice(from, from + limit));
      },
    ),
    { numRuns: 500 },
  );
});

it('counts what it has looked at, and asks only where the marks do not tell', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(UNKNOWN_TIER), { maxLength: 100 }), fc.array(fc.nat(120)), (marks, lengths) => {
      const asked = new Set<number>();
      const filled: number[] = [];
      const tierOf = (mark: number, i: number): number => (mark === UNKNOWN_TIER ? i % 5 : mark);
      const blocks = new TierBlocks({
        ...tieredOf(marks, 0),
        tierByMark: Uint8Array.of(...TIER_BY_TIER, UNKNOWN_TIER),
        findTier: (document) => {
          asked.add(document);
          return document % 5;
        },
        fill: (from, to) => {
          for (let i = from; i < to; i += 1) filled.push(i);
        },
      });
      for (const length of lengths) blocks.lookAt(length);
      const looked = marks.slice(0, blocks.length);
      expect(looked.length).toBeGreaterThanOrEqual(Math.min(marks.length, Math.max(0, ...lengths)));
      expect(filled).toEqual([...looked.keys()]);
      for (let tier = 0; tier < UNKNOWN_TIER; tier += 1) {
        const wanted = [...looked.keys()].filter((i) => tierOf(looked[i] ?? 0, i) === tier);
        expect(blocks.countOf(tier)).toBe(wanted.length);
        expect(blocks.select(tier, { from: 0, to: marks.length })).toEqual(wanted);
      }
      expect([...asked].every((i) => marks[i] === UNKNOWN_TIER)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
