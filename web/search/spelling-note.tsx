import type { SearchResult } from '../api/wire.ts';
import type { SearchState } from './search-state.ts';
import { listReplacements } from './spelling.ts';

interface SpellingNoteProps {
  readonly state: SearchState;
  readonly rows: readonly SearchResult[];
}

/** After a typo: what the results are for. */
export function SpellingNote({ state, rows }: SpellingNoteProps) {
  const [query = ''] = state.queries;
  // Beside other searches, nobody can tell which of them brought a row.
  if (state.method === 'exact' || state.queries.length !== 1 || rows.length === 0) return null;
  const replaced = listReplacements(
    query,
    rows.map(({ search_term: term }) => term),
  );
  if (replaced.length === 0) return null;
  return (
    <p class="spelling" role="status">
      Showing results for <b>{replaced.map(({ found }) => found.join(' or ')).join(', ')}</b>
      <span class="muted"> · no keyword has {replaced.map(({ typed }) => `“${typed}”`).join(' or ')}</span>
    </p>
  );
}
