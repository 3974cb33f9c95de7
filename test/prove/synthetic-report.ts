// A plain report of terms whose words are as unevenly spread as those of real ones: a few stand in a large share of the terms.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SeededRandom } from './seeded-random.ts';

const SYLLABLES = ['ka', 'lo', 'mi', 'ne', 'ru', 'sa', 'ti', 'vo', 'za', 'pe', 'du', 'gi', 'ho', 'ba', 'fe', 'ju'];
const VOCABULARY = 50_000;
/** Above one, small numbers come up much more often than large ones. */
const SKEW = 6;

/** The n-th word; those with small numbers are common. */
export function syntheticWord(n: number): string {
  let word = '';
  for (let rest = n + SYLLABLES.length ** 2; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length];
  }
  return word;
}

/** Writes a month of so many different terms and returns the path. */
export async function writeSyntheticReport(
  directory: string,
  { seed, terms, month }: { readonly seed: number; readonly terms: number; readonly month: number },
): Promise<string> {
  const random = new SeededRandom(seed);
  const seen = new Set<string>();
  while (seen.size < terms) {
    const words = Array.from({ length: 2 + random.below(4) }, () =>
      syntheticWord(Math.floor(VOCABULARY * random.next() ** SKEW)),
    );
    seen.add(words.join(' '));
  }
  const period = `${String(month).padStart(2, '0')}-2026`;
  const ranks = new SeededRandom(seed + month);
  const shift = ranks.below(terms);
  const lines = [...seen].map((term, n) => `monthly,${period},${term},${((n + shift) % terms) + 1}\n`);
  const path = join(directory, `US_ranks_${month}.csv`);
  await writeFile(path, `period_type,period,search_term,rank\n${lines.join('')}`);
  return path;
}
