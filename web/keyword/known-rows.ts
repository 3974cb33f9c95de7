// Rows that some answer already brought. A keyword among them is drawn at once and, in a comparison, costs no search.

import type { Frequency, SearchResult } from '../api/wire.ts';
import { marketplaceParams } from '../app/location.ts';
import { apiKey } from '../app/session.ts';

const MAX_ROWS = 5000;
const rows = new Map<string, SearchResult>();

export function keepRow(row: SearchResult, type: Frequency): void {
  const key = keyOf(row.normalized_search_term, type);
  const insights = row.insights ?? rows.get(key)?.insights;
  rows.delete(key);
  // Not every answer brings them, and one that does not takes none away.
  rows.set(key, insights ? { ...row, insights } : row);
  if (rows.size <= MAX_ROWS) return;
  for (const oldest of rows.keys()) {
    rows.delete(oldest);
    break;
  }
}

export function findRow(term: string, type: Frequency): SearchResult | undefined {
  return rows.get(keyOf(term, type));
}

apiKey.subscribe(() => rows.clear());

function keyOf(term: string, type: Frequency): string {
  return `${marketplaceParams().marketplace ?? ''} ${type} ${term.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()}`;
}
