// A word that is in no keyword is replaced by the nearest ones that are. The answer does not say so, but its terms do: every word
// of a search is in each of its results, so a word that is in none of them was replaced.

/** A word as it was typed, and those that stand in the results in its place. */
export interface Replacement {
  readonly typed: string;
  readonly found: readonly string[];
}

const MAX_FOUND = 3;
const ENDINGS = new Set(
  ['', 's', 'es', 'e', 'ed', 'er', 'ers', 'ing', 'ings', 'y', 'ies', 'ied', 'ier', 'iest', 'ly', 'ful', 'ness'].concat([
    'al',
    'ally',
    'able',
    'ation',
    'ations',
    'ion',
    'ions',
    'ment',
    'ments',
    'ive',
    'ize',
    'ized',
    'izer',
    'izing',
  ]),
);
const MIN_STEM_LETTERS = 2;

/** Of one search without others beside it. */
export function listReplacements(query: string, terms: readonly string[]): readonly Replacement[] {
  const typed = wordsOf(query);
  const termWords = terms.map(wordsOf);
  const known = new Set(
    typed.filter((word) => termWords.some((words) => words.some((each) => isSameWord(word, each)))),
  );
  return typed
    .filter((word) => !known.has(word))
    .map((word) => ({ typed: word, found: nearestWords(word, { termWords, known }) }))
    .filter(({ found }) => found.length > 0);
}

/** In each term the word that is nearest; of those the nearest. */
function nearestWords(
  word: string,
  { termWords, known }: { readonly termWords: readonly (readonly string[])[]; readonly known: ReadonlySet<string> },
): readonly string[] {
  const distances = new Map<string, number>();
  for (const words of termWords) {
    for (const each of words) {
      if (distances.has(each) || [...known].some((other) => isSameWord(other, each))) continue;
      distances.set(each, editDistance(word, each));
    }
  }
  const least = Math.min(...distances.values());
  if (least > Math.ceil(word.length / 2)) return [];
  return [...distances].flatMap(([each, distance]) => (distance === least ? [each] : [])).slice(0, MAX_FOUND);
}

function wordsOf(text: string): readonly string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/[\p{M}'\u2019]/gu, '')
    .toLowerCase();
  return folded.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Much as the service's stems go: what differs are endings. */
function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared += 1;
  // The last letter before an ending may change: berry, berries.
  for (let length = shared; length >= Math.max(MIN_STEM_LETTERS, shared - 1); length -= 1) {
    const [first, second] = [a, b].map((word) => endingAfter(word, length));
    // Where the endings are the same, another letter is: runing, running.
    if (first !== undefined && second !== undefined && first !== second) return true;
  }
  return false;
}

/** What follows so many letters, the last of which may be doubled: run, running. Undefined where that is no ending. */
function endingAfter(word: string, length: number): string | undefined {
  const rest = word.slice(length);
  if (ENDINGS.has(rest)) return rest;
  return rest[0] === word[length - 1] && ENDINGS.has(rest.slice(1)) ? rest.slice(1) : undefined;
}

/** Letters to add, take away, replace or swap with a neighbour. */
function editDistance(a: string, b: string): number {
  let [older, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const ways = [(row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1)];
      if (isSwap) ways.push((older[j - 2] ?? 0) + 1);
      next.push(Math.min(...ways));
    }
    [older, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
