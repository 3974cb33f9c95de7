import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeSparse, openSparse } from '../format/sparse-column.ts';
import { summarize } from '../format/summaries.ts';
import { summarizeSlots } from './fresh-summaries.ts';

const SLOTS = 5000;

it('summarizes few terms of a page and most of them as all terms are summarized', () => {
  const periods = fc.array(fc.record({ step: fc.integer({ min: 1, max: 9 }), length: fc.nat(SLOTS) }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(periods, fc.integer({ min: 1, max: 60 }), (made, stride) => {
      // Those asked for have a rank in the last period at least.
      const wanted = Uint32Array.from({ length: Math.floor(SLOTS / stride) }, (_, i) => i * stride).reverse();
      const ranks = made.map(({ step, length }) => {
        const slots = Uint32Array.from({ length: Math.floor(length / step) }, (_, i) => i * step);
        return openSparse(encodeSparse(length, { slots, values: slots.map((slot) => 1 + ((slot * 7919) % 1009)) }));
      });
      const last = wanted.toReversed();
      ranks.push(openSparse(encodeSparse(SLOTS, { slots: last, values: last.map((_, i) => 1 + (i % 77)) })));
      // A document for each slot, so that all ranks find their place.
      const slotDocuments = Uint32Array.from({ length: SLOTS }, (_, slot) => slot);
      const all = summarize({ ranks, slotDocuments, visibleCount: SLOTS, newestCount: 0 });
      const some = summarizeSlots(ranks, wanted);
      for (const name of ['best-rank', 'worst-rank', 'avg-rank'] as const) {
        const column = new Uint32Array(all[name]);
        expect(Array.from(some[name]), name).toEqual(Array.from(wanted, (slot) => column[slot]));
      }
      for (const name of ['total-periods', 'first-period'] as const) {
        const column = new Uint16Array(all[name]);
        expect(Array.from(some[name]), name).toEqual(Array.from(wanted, (slot) => column[slot]));
      }
    }),
    { numRuns: 40 },
  );
});
