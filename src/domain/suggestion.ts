// Suggestions complete what is being typed: terms that have every finished word and a word that begins as the unfinished last
// one does, the most searched first. Finished words meet their plurals as they do in a search; the last one may still grow
// into anything, so it is taken as it stands.
import type { Frequency, Period } from './period.ts';
import { type Plan, visibleWindow } from './plan.ts';
import { normalizeTerm } from './term.ts';
import { parseWords } from './words.ts';

export const MAX_SUGGESTIONS = 10;

export interface SuggestionQuery {
  /** As typed so far. */
  readonly text: string;
  readonly frequency: Frequency;
  readonly limit: number;
}

export interface SuggestionPlan {
  /** The visible periods, oldest first. */
  readonly window: readonly Period[];
  /** Normalised; what a text without words, such as an emoji, is compared with as a whole. */
  readonly text: string;
  /** Folded. */
  readonly finishedWords: readonly string[];
  /** Folded; undefined when the text has no words. */
  readonly lastWord: string | undefined;
  readonly limit: number;
}

export function planSuggestions(
  { text, frequency, limit }: SuggestionQuery,
  context: { readonly plan: Plan; readonly published: readonly Period[] },
): SuggestionPlan {
  const normalized = normalizeTerm(text);
  const words = parseWords(normalized);
  return {
    window: visibleWindow({ ...context, frequency }),
    text: normalized,
    finishedWords: [...new Set(words.slice(0, -1))],
    lastWord: words.at(-1),
    limit,
  };
}
