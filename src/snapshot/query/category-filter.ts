// The filter by category, for searches and trend lists. A document has up to three categories, and one that is wanted suffices.
import { type CategoryFilter, matchesCategory } from '../../domain/category.ts';
import { NONE_16, NONE_32 } from '../format/format.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import type { DocumentList } from './document-list.ts';

const marks = new Uint8Array(NONE_16 + 1);

/** By category: 1 for each that is wanted, 0 also for none. Valid until the next call. */
export function markCategories(view: SnapshotView, wanted: readonly CategoryFilter[]): Uint8Array {
  marks.fill(0);
  for (const [category, name] of view.categoryNames.entries()) {
    if (wanted.some((filter) => matchesCategory(name, filter))) marks[category] = 1;
  }
  return marks;
}

export interface CategoryPass {
  /** Whose categories count. */
  readonly view: SnapshotView;
  readonly marks: Uint8Array;
  /** Undefined when they are the documents from `from` to `to` themselves. */
  readonly documents: DocumentList | undefined;
  readonly from: number;
  readonly to: number;
  /** By document, the one of the view that stands for it; undefined when it is the same. */
  readonly twins?: Uint32Array | undefined;
  /** Twins from here on do not count. */
  readonly twinsEnd?: number;
}

/** Writes those of which a category is marked behind the first `count` of the list, and says how many there are then. */
export function keepCategories(kept: DocumentList, count: number, pass: CategoryPass): number {
  const { marks, documents, from, to, twins, twinsEnd = NONE_32 } = pass;
  const [first, second, third] = pass.view.categories;
  let end = count;
  for (let i = from; i < to; i += 1) {
    const document = documents ? (documents[i] ?? 0) : i;
    const owner = twins ? (twins[document] ?? NONE_32) : document;
    if (owner >= twinsEnd) continue;
    // Which are kept is unpredictable, so there must be no branch.
    kept[end] = document;
    end +=
      (marks[first[owner] ?? NONE_16] ?? 0) |
      (marks[second[owner] ?? NONE_16] ?? 0) |
      (marks[third[owner] ?? NONE_16] ?? 0);
  }
  return end;
}
