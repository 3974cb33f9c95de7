// Suggestions complete what is being typed: terms that have every finished word and a word that begins as the unfinished last
// one does, the most searched first. Finished words meet their plurals as they do in a search; the last one may still grow
// into anything, so it is taken as it stands.
import type { Frequency, Period } from './period.ts';
import { type Plan, visibleWindow } from './plan.ts';
import { parseQueryText, type QueryText } from './query-text.ts';

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
  /** Its last word is unfinished. A text without words is compared as a whole. */
  readonly text: QueryText;
  readonly limit: number;
}

export function planSuggestions(
  { text, frequency, limit }: SuggestionQuery,
  context: { readonly plan: Plan; readonly published: readonly Period[] },
): SuggestionPlan {
  return { window: visibleWindow({ ...context, frequency }), text: parseQueryText(text), limit };
}
