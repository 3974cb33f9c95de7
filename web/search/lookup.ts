// A list of keywords that is looked up, part by part. It stays while the page is open, so that the way back from a keyword costs nothing.
import { signal } from '@preact/signals';
import type { ApiFailure } from '../api/client.ts';
import { MAX_TERMS_OF_SEARCH, searchExactly, splitTerms } from '../api/exact-search.ts';
import { asFailure } from '../api/use-answer.ts';
import type { Frequency, SearchResult } from '../api/wire.ts';
import { marketplaceParams } from '../app/location.ts';
import { apiKey } from '../app/session.ts';
import { findRow } from '../keyword/known-rows.ts';

export const MAX_LOOKED_UP = 1000;
/** Longer ones are no keywords of any report. */
const MAX_TERM_CHARACTERS = 256;

export interface Lookup {
  readonly terms: readonly string[];
  readonly type: Frequency;
  readonly marketplace: string | undefined;
  /** How many of the terms were asked for. */
  readonly asked: number;
  readonly isRunning: boolean;
  readonly failure: ApiFailure | undefined;
}

export const lookup = signal<Lookup | undefined>(undefined);
apiKey.subscribe(() => {
  lookup.value = undefined;
});

/** Each keyword once, however it is written, and what can be none. */
export function sortLines(lines: readonly string[]) {
  const terms = new Map(lines.map((line) => [line.normalize('NFKC').toLowerCase().replace(/\s+/g, ' '), line]));
  const isTooLong = (term: string) => [...term].length > MAX_TERM_CHARACTERS;
  return {
    terms: [...terms.values()].filter((term) => !isTooLong(term)),
    tooLong: [...terms.values()].filter(isTooLong).length,
  };
}

export function countSearches(terms: number): number {
  return Math.ceil(terms / MAX_TERMS_OF_SEARCH);
}

export function startLookup(terms: readonly string[], type: Frequency): Promise<void> {
  const { marketplace } = marketplaceParams();
  lookup.value = { terms, type, marketplace, asked: 0, isRunning: false, failure: undefined };
  return continueLookup();
}

/** From where it stands: what was answered is not asked again. */
export async function continueLookup(): Promise<void> {
  const begun = lookup.value;
  if (!begun || begun.isRunning) return;
  let current: Lookup = { ...begun, isRunning: true, failure: undefined };
  const show = (next: Lookup) => {
    // Another list may have been started, or another key taken, meanwhile.
    if (lookup.value !== current && lookup.value !== begun) return false;
    current = next;
    lookup.value = next;
    return true;
  };
  if (!show(current)) return;
  for (const part of splitTerms(begun.terms.slice(begun.asked))) {
    try {
      await searchExactly(part, begun.type);
    } catch (error) {
      show({ ...current, isRunning: false, failure: asFailure(error) });
      return;
    }
    if (!show({ ...current, asked: current.asked + part.length })) return;
  }
  show({ ...current, isRunning: false });
}

/** Of the terms that were asked for: those with ranks, and those without, in the order of the list. */
export function resultsOf({ terms, asked, type }: Lookup) {
  const found: SearchResult[] = [];
  const missing: string[] = [];
  for (const term of terms.slice(0, asked)) {
    const row = findRow(term, type);
    if (row) found.push(row);
    else missing.push(term);
  }
  return { found, missing };
}
