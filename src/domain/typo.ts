// What stands in for a query word that no visible term contains. Only such words are replaced: a query of words that
// exist is never widened.
import { editDistance, parseTrigrams, similarity } from './similarity.ts';
import { isSpelled } from './words.ts';

export const MAX_REPLACEMENTS = 5;
export const MIN_TYPO_SIMILARITY = 0.5;

const ONE_EDIT_LETTERS = 4;
const TWO_EDITS_LETTERS = 8;

/** A vocabulary word and in how many visible terms it (its stem) occurs. */
export interface VocabularyWord {
  readonly word: string;
  readonly termCount: number;
}

/** How many edits a misspelled word of this length may have. */
export function maxEdits(word: string): number {
  const letters = [...word].length;
  if (letters >= TWO_EDITS_LETTERS) return 2;
  return letters >= ONE_EDIT_LETTERS ? 1 : 0;
}

/**
 * The nearest words of a vocabulary. Those fewest edits away win; among equals the more frequent ones, then the
 * alphabet decides. When none is near enough in edits, those of the highest trigram similarity stand in.
 */
export function findReplacements(word: string, vocabulary: Iterable<VocabularyWord>): readonly string[] {
  if (!isSpelled(word)) return [];
  const limit = maxEdits(word);
  const trigrams = parseTrigrams(word);
  const candidates: { word: string; termCount: number; distance: number; similarity: number }[] = [];
  for (const { word: other, termCount } of vocabulary) {
    if (!isSpelled(other)) continue;
    const distance = limit === 0 ? 1 : editDistance({ a: word, b: other, limit });
    if (distance <= limit) {
      candidates.push({ word: other, termCount, distance, similarity: 1 });
      continue;
    }
    const likeness = similarity(trigrams, parseTrigrams(other));
    if (likeness >= MIN_TYPO_SIMILARITY) {
      candidates.push({ word: other, termCount, distance: limit + 1, similarity: likeness });
    }
  }
  const nearest = Math.min(...candidates.map((candidate) => candidate.distance));
  return candidates
    .filter((candidate) => candidate.distance === nearest)
    .sort((a, b) => b.similarity - a.similarity || b.termCount - a.termCount || (a.word < b.word ? -1 : 1))
    .slice(0, MAX_REPLACEMENTS)
    .map((candidate) => candidate.word);
}
