// The filter by category, for searches and trend lists. A document has up to three categories, and one that is wanted suffices.
import { type CategoryFilter, matchesCategory } from '../../domain/category.ts';
import { NONE_16 } from '../format/format.ts';
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

/** Where kept documents go: behind the first `count`. */
export interface KeptDocuments {
  readonly documents: DocumentList;
  count: number;
}

/** Keeps those of which a category is marked. `owners` are the documents of the view whose categories count for them. */
export function keepMarkedCategories(
  kept: KeptDocuments,
  documents: DocumentList,
  { view, marks, owners }: { readonly view: SnapshotView; readonly marks: Uint8Array; readonly owners: DocumentList },
): void {
  const [first, second, third] = view.categories;
  const out = kept.documents;
  let { count } = kept;
  // Which are kept is unpredictable, so there must be no branch.
  for (let i = 0; i < documents.length; i += 1) {
    const owner = owners[i] ?? 0;
    out[count] = documents[i] ?? 0;
    count +=
      (marks[first[owner] ?? NONE_16] ?? 0) |
      (marks[second[owner] ?? NONE_16] ?? 0) |
      (marks[third[owner] ?? NONE_16] ?? 0);
  }
  kept.count = count;
}
