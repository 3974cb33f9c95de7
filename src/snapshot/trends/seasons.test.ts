import { describe, expect, it } from 'vitest';
import type { Period } from '../../domain/period.ts';
import { makeSeasons, viewSeasons } from '../format/season-columns.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { PAGE_SLOTS } from '../format/sparse-column.ts';
import { joinSeasons, planSeasonPages } from './seasons.ts';

const MONTHS = Array.from({ length: 30 }, (_, i): Period => {
  return { frequency: 'monthly', year: 2024 + Math.floor(i / 12), number: 1 + (i % 12) };
});

describe('the tasks that find seasons', () => {
  it.each([1, PAGE_SLOTS, 100 * PAGE_SLOTS + 1])('look at every page of %d slots once', (slotCount) => {
    const tasks = planSeasonPages(MONTHS, { size: 24, slotCount });
    const pages = tasks.flatMap(({ firstPage, pageCount }) =>
      Array.from({ length: pageCount }, (_, i) => firstPage + i),
    );
    expect(pages).toEqual(Array.from(pages.keys()));
    expect(pages.length).toBeGreaterThanOrEqual(slotCount / PAGE_SLOTS);
    expect(new Set(tasks.map(({ size }) => size))).toEqual(new Set([24]));
  });

  it('are none where the window has less than two years', () => {
    expect(planSeasonPages(MONTHS, { size: 23, slotCount: 9 })).toEqual([]);
  });

  it('bring parts that are put together in the order of documents', () => {
    const part = (documents: readonly number[]) => {
      const buffers = makeSeasons(documents.length);
      const seasons = viewSeasons(buffers);
      for (const [i, document] of documents.entries()) {
        seasons.documents[i] = document;
        seasons.peakMonths[i] = 1 + (document % 12);
        seasons.fullYears[i] = 2 + document;
        seasons.strengths[i] = 4_000_000_000 - document;
      }
      return buffers;
    };
    const view = { periodEnds: [10, 12] } as unknown as SnapshotView;
    const joined = viewSeasons(joinSeasons(view, [part([7, 2]), part([]), part([9, 0, 3])]));
    expect(joined).toEqual(viewSeasons(part([0, 2, 3, 7, 9])));
    expect(viewSeasons(joinSeasons(view, [])).documents).toHaveLength(0);
  });
});
