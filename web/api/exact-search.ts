// Many keywords by their names. One search takes so many; a longer list is asked for in parts, each of which is a search.
import { marketplaceParams } from '../app/location.ts';
import { apiKey } from '../app/session.ts';
import { findRow, keepRow } from '../keyword/known-rows.ts';
import { ask } from './client.ts';
import type { Frequency, SearchAnswer } from './wire.ts';

export const MAX_TERMS_OF_SEARCH = 50;

/** What searches for exactly these terms, and exports them. */
export function exactParams(terms: readonly string[], type: Frequency): URLSearchParams {
  const params = new URLSearchParams({ method: 'exact', type, include: 'insights', ...marketplaceParams() });
  for (const term of terms) params.append('query', term);
  return params;
}

/** In parts of what one search takes. */
export function splitTerms(terms: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(terms.length / MAX_TERMS_OF_SEARCH);
  return Array.from({ length: count }, (_, i) => terms.slice(i * MAX_TERMS_OF_SEARCH, (i + 1) * MAX_TERMS_OF_SEARCH));
}

/** Asks for one part, and keeps what it brings where every view finds it. */
export async function searchExactly(terms: readonly string[], type: Frequency): Promise<void> {
  const params = exactParams(terms, type);
  params.set('limit', String(MAX_TERMS_OF_SEARCH));
  const { data } = await ask<SearchAnswer>(`/v1/search/keywords?${params}`);
  for (const row of data) keepRow(row, type);
  for (const term of terms) asked.add(keyOf(term, type));
}

/** What was asked for, also where there was nothing: it is not asked for again. */
const asked = new Set<string>();
apiKey.subscribe(() => asked.clear());

function keyOf(term: string, type: Frequency): string {
  return JSON.stringify([marketplaceParams().marketplace, type, term]);
}

/** Whether all that can be known of it is here. */
export function isAsked(term: string, type: Frequency): boolean {
  return findRow(term, type) !== undefined || asked.has(keyOf(term, type));
}

/** Those that nobody has asked for yet. */
export function listUnasked(terms: readonly string[], type: Frequency): readonly string[] {
  return terms.filter((term) => !isAsked(term, type));
}
