// Trigram similarity exactly as PostgreSQL's pg_trgm defines it, so that an order by similarity_score can be checked
// against similarity() there; and the edit distance that finds typos.

// What PostgreSQL takes for alphanumeric in a UTF-8 locale.
const SIMILARITY_WORD = /[\p{Alphabetic}\p{Nd}]+/gu;

/** The distinct trigrams of a normalised text: each word with two spaces before it and one behind it. */
export function parseTrigrams(normalizedText: string): ReadonlySet<string> {
  const trigrams = new Set<string>();
  for (const word of normalizedText.match(SIMILARITY_WORD) ?? []) {
    const letters = [' ', ' ', ...word, ' '];
    for (let i = 2; i < letters.length; i += 1) trigrams.add(`${letters[i - 2]}${letters[i - 1]}${letters[i]}`);
  }
  return trigrams;
}

/** Shared trigrams over all trigrams, 0 to 1, in single precision as pg_trgm returns it. */
export function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let sharedCount = 0;
  for (const trigram of a) if (b.has(trigram)) sharedCount += 1;
  return similarityOfCounts({ aCount: a.size, bCount: b.size, sharedCount });
}

export function similarityOfCounts(counts: {
  readonly aCount: number;
  readonly bCount: number;
  readonly sharedCount: number;
}): number {
  const allCount = counts.aCount + counts.bCount - counts.sharedCount;
  return allCount === 0 ? 0 : Math.fround(counts.sharedCount / allCount);
}

/**
 * Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment) between two words; `limit` + 1
 * when there are more than `limit`.
 */
export function editDistance({
  a,
  b,
  limit,
}: {
  readonly a: string;
  readonly b: string;
  readonly limit: number;
}): number {
  const left = [...a];
  const right = [...b];
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, j) => j);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    let rowBest = i;
    for (let j = 1; j <= right.length; j += 1) {
      const isSame = left[i - 1] === right[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (isSwap) cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
      rowBest = Math.min(rowBest, cost);
    }
    // A swap reaches back two rows, but no row is better by more than one than the next: that one is at the limit at best.
    if (rowBest > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return Math.min(last[right.length] ?? 0, limit + 1);
}
