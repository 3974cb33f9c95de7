// What another engine must answer in a comparison: the same question over the same rows, and the answer in a form that can be
// held against ours.

/** A keyword carries tokens: its stems, and b12, c3, p456 for its brands, categories and products. */
export type PeerMatch =
  | { readonly kind: 'term'; readonly term: string }
  /** One token of each group, and none of the others. */
  | { readonly kind: 'tokens'; readonly groups: readonly (readonly string[])[]; readonly without: readonly string[] }
  /** A word that no keyword has; the peer finds the nearest ones itself. */
  | { readonly kind: 'typo'; readonly word: string };

export type PeerOrder =
  | { readonly kind: 'column'; readonly column: string; readonly direction: 'ASC' | 'DESC' }
  /** What follows from two columns, in SQL. */
  | { readonly kind: 'expression'; readonly sql: string; readonly direction: 'ASC' | 'DESC' }
  | { readonly kind: 'best_match'; readonly words: string }
  | { readonly kind: 'similarity'; readonly text: string };

export interface PeerQuery {
  readonly match: PeerMatch;
  readonly order: PeerOrder;
  readonly offset: number;
  readonly limit: number;
}

export interface PeerAnswer {
  readonly totalCount: number;
  /** Document numbers of the page, in order. */
  readonly documents: readonly number[];
  /** Measured by the engine itself where it runs in a process of its own, so that the way to it and back does not count. */
  readonly tookMs?: number;
}

export interface Peer extends AsyncDisposable {
  readonly name: string;
  /** A search engine returns document numbers alone. It is warmed up and run as often as ours, being about as short. */
  readonly kind: 'database' | 'search engine';
  /** Undefined for what the engine has no means for. */
  readonly answer: (query: PeerQuery) => Promise<PeerAnswer | undefined>;
}

/** The order of Spec 4.1 in SQL that all three databases understand. */
export function orderSql(order: Exclude<PeerOrder, { kind: 'similarity' }>): string {
  if (order.kind === 'column') {
    return `${order.column} ${order.direction} NULLS LAST, latest_rank, term`;
  }
  if (order.kind === 'expression') return `${order.sql} ${order.direction} NULLS LAST, latest_rank, term`;
  const { words } = order;
  return `CASE WHEN words = '${words}' THEN 4 WHEN words LIKE '${words} %' THEN 3
    WHEN words LIKE '% ${words} %' OR words LIKE '% ${words}' THEN 2 ELSE 1 END DESC, latest_period DESC, latest_rank, term`;
}

export function quoteSql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
