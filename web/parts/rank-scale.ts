// Ranks are drawn on a logarithmic scale with rank 1 on top: 1 to 10 matters as much as 10,000 to 100,000.

/** A drawing spans this factor at least: otherwise a fall from 1 to 2 would look like one from 1 to 100,000. */
const MIN_FACTOR = 10;

/** The best and the worst rank that a drawing has room for. */
export function rankSpan(ranks: readonly number[]): { readonly best: number; readonly worst: number } {
  const [best, worst] = [Math.min(...ranks), Math.max(...ranks)];
  if (worst / best >= MIN_FACTOR) return { best, worst };
  // Around the middle, but nothing is better than 1.
  const top = Math.max(1, Math.sqrt(best * worst) / Math.sqrt(MIN_FACTOR));
  return { best: top, worst: top * MIN_FACTOR };
}
