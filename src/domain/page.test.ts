import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageOfSlice, sliceOfPage } from './page.ts';

describe('pages', () => {
  it('of a whole list are consistent, and each row is on exactly one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 60 }), (total, limit) => {
        let seen = 0;
        for (let page = 1; ; page += 1) {
          const slice = sliceOfPage({ page, limit });
          const { currentPage, hasNext, hasPrevious, totalPages } = pageOfSlice(slice, total);
          expect(currentPage).toBe(page);
          expect(hasPrevious).toBe(page > 1 && total > 0);
          seen += Math.max(0, Math.min(limit, total - slice.offset));
          if (!hasNext) {
            expect(page).toBe(Math.max(1, totalPages));
            break;
          }
        }
        expect(seen).toBe(total);
      }),
    );
  });

  it('past the end carry the true totals', () => {
    expect(pageOfSlice(sliceOfPage({ page: 9, limit: 10 }), 25)).toEqual({
      currentPage: 9,
      pageSize: 10,
      totalCount: 25,
      totalPages: 3,
      hasNext: false,
      hasPrevious: true,
    });
  });

  it('past the end of an empty list have nothing before them, and of a list of one row have', () => {
    const hasPrevious = (totalCount: number) =>
      pageOfSlice(sliceOfPage({ page: 2, limit: 10 }), totalCount).hasPrevious;
    expect([0, 1].map(hasPrevious)).toEqual([false, true]);
  });

  it('of an offset that is no multiple of the limit say exactly whether rows follow or precede', () => {
    expect(pageOfSlice({ offset: 5, limit: 10 }, 15)).toMatchObject({
      currentPage: 1,
      hasNext: false,
      hasPrevious: true,
    });
    expect(pageOfSlice({ offset: 15, limit: 10 }, 26)).toMatchObject({
      currentPage: 2,
      hasNext: true,
      hasPrevious: true,
    });
  });
});
