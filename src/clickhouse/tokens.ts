// The forms in which tables hold what filters compare.
import { type CategoryFilter, findBucket, foldCategory } from '../domain/category.ts';

export const TOKENS = {
  stem: 's:',
  word: 'w:',
  term: 't:',
  asin: 'a:',
  brand: 'b:',
  category: 'c:',
} as const;

/** Of words that are not of letters alone, whose trigrams the nodes do not know. */
export const ANY_TRIGRAM = '*';

/** Of a stored category: its own name, and the bucket that it belongs to. */
export function categoryKeys(storedName: string): readonly string[] {
  return [`stored:${foldCategory(storedName)}`, `bucket:${findBucket(storedName)}`];
}

/** Which of these keys passes the filter. */
export function categoryFilterKey(filter: CategoryFilter): string {
  return filter.kind === 'bucket' ? `bucket:${filter.bucket}` : `stored:${filter.foldedName}`;
}
