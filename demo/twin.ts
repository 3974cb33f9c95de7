// Phantom twins: the real reports list a few terms twice, the second time behind an invisible character and at a rank that
// means nothing. They take ranks of their own, so the ranks still have no gaps.

const TWIN_SHARE = 0.0005;
const MIN_TWINS = 3;
const MARKS = ['\uFFFC', '\u200B'] as const;

export interface Twin {
  /** Place of the term that is repeated, from 0 for rank 1. */
  readonly place: number;
  readonly mark: string;
}

/** Twins by their rank: all in the lower half of the report, of terms in its upper part. */
export function planTwins(rows: number): ReadonlyMap<number, Twin> {
  const count = Math.min(Math.max(MIN_TWINS, Math.round(rows * TWIN_SHARE)), Math.floor(rows / 4));
  const twins = new Map<number, Twin>();
  for (let index = 0; index < count; index += 1) {
    const rank = rows - Math.floor(((index + 0.5) * rows * 0.5) / count);
    const place = Math.floor(((index + 0.5) * rows * 0.4) / count);
    twins.set(rank, { place, mark: MARKS[index % MARKS.length] ?? MARKS[0] });
  }
  return twins;
}
