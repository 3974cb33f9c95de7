// What stands in for a query word that no visible term contains. Only such words are replaced: a query of words that
// exist is never widened.
import { editDistance, parseTrigrams, similarity } from './similarity.ts';
import { isSpelled } from './words.ts';

export const MAX_REPLACEMENTS = 5;
export const MIN_TYPO_SIMILARITY = 0.5;

const ONE_EDIT_LETTERS = 4;
const TWO_EDITS_LETTERS = 8;
const TRIGRAMS_LOST_PER_EDIT = 4;

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

/** So many of the trigrams of a word, at least, has every word that can stand in for it. */
export function leastShared(word: string, trigramCount: number): number {
  // A similarity of one half needs half of them.
  const needed = Math.min(trigramCount - TRIGRAMS_LOST_PER_EDIT * maxEdits(word), Math.ceil(trigramCount / 2));
  return Math.max(1, needed);
}

/**
 * The nearest words of a vocabulary. Those fewest edits away win; among equals the more frequent ones, then the
 * alphabet decides. When none is near enough in edits, those of the highest trigram similarity stand in.
 */
export function findReplacements(word: string, vocabulary: Iterable<VocabularyWord>): readonly string[] {
  if (!isSpelled(word)) return [];
  const limit = maxEdits(word);
  let nearest = limit;
  let near: Candidate[] = [];
  const others: VocabularyWord[] = [];
  for (const other of vocabulary) {
    if (!isSpelled(other.word)) continue;
    const distance = limit === 0 ? 1 : editDistance({ a: word, b: other.word, limit: nearest });
    if (distance < nearest) near = [];
    if (distance <= nearest) {
      nearest = distance;
      near.push({ ...other, similarity: 1 });
    } else if (near.length === 0) others.push(other);
  }
  // Comparing trigrams takes longer, and is in vain when a word is near enough in edits.
  return (near.length > 0 ? near : listSimilar(word, others))
    .sort((a, b) => b.similarity - a.similarity || b.termCount - a.termCount || (a.word < b.word ? -1 : 1))
    .slice(0, MAX_REPLACEMENTS)
    .map((candidate) => candidate.word);
}

interface Candidate extends VocabularyWord {
  readonly similarity: number;
}

function listSimilar(word: string, others: readonly VocabularyWord[]): Candidate[] {
  const trigrams = parseTrigrams(word);
  return others
    .map((other) => ({ ...other, similarity: similarity(trigrams, parseTrigrams(other.word)) }))
    .filter((candidate) => candidate.similarity >= MIN_TYPO_SIMILARITY);
}
