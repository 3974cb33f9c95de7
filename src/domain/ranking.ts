// Ranks, and relevance: the tiers of best_match and the formula of fts_rank. Both compare folded words (domain/words.ts).

/** Ranks above this are refused: averages are kept in hundredths in 32 bits. */
export const MAX_RANK = 40_000_000;

/** Best first. A tier is a number so that tiers sort; higher is better. */
export const MATCH_TIERS = { equal: 4, start: 3, phrase: 2, words: 1, typo: 0 } as const;

/**
 * How much finding a word says. Rarer words say more: ln(1 + all terms / terms with the word), both counted over the
 * visible terms. For a misspelled word its replacements count together as one word.
 */
export function wordWeight({
  termCount,
  matchCount,
}: {
  readonly termCount: number;
  readonly matchCount: number;
}): number {
  return matchCount === 0 ? 0 : Math.log(1 + termCount / matchCount);
}

/**
 * fts_rank of one query for a term that matches it: the weights of the query's distinct words, added in query order, over
 * 1 + ln(words in the term). With several queries a term takes the highest value.
 */
export function ftsRank({
  weights,
  wordCount,
}: {
  readonly weights: readonly number[];
  readonly wordCount: number;
}): number {
  let sum = 0;
  for (const weight of weights) sum += weight;
  return sum / (1 + Math.log(Math.max(1, wordCount)));
}

/** avg_rank in hundredths, rounded half up with whole numbers only, so that no platform rounds otherwise. */
export function averageRankHundredths({
  rankSum,
  periodCount,
}: {
  readonly rankSum: number;
  readonly periodCount: number;
}): number {
  return Math.floor((rankSum * 200 + periodCount) / (2 * periodCount));
}
