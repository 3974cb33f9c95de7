// By whether a word of the term stands in no title: yes or no, and null where no title is known.
import type { OrderDirection } from '../../domain/search-query.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { takeRoom } from './arena.ts';
import { directedKey, type KeyOrder, NULL_KEY } from './key-order.ts';
import { openTitleGaps } from './title-gap.ts';

/** Documents between two looks at the cancellation flag. */
const CHUNK = 1024;

export function titleGapOrder(
  view: SnapshotView,
  { direction, throwIfCancelled }: { readonly direction: OrderDirection; readonly throwIfCancelled: () => void },
): KeyOrder {
  const titleGapOf = openTitleGaps(view);
  return {
    keysOf: ({ documents }) => {
      const keys = takeRoom('orderKeys', documents.length).subarray(0, documents.length);
      for (let i = 0; i < keys.length; i += 1) {
        if (i % CHUNK === 0) throwIfCancelled();
        const gap = titleGapOf(documents[i] ?? 0);
        keys[i] = gap === null ? NULL_KEY : directedKey(Number(gap), direction);
      }
      return keys;
    },
    ties: 'rank',
  };
}
