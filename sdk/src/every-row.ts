// Rows of all pages, one after the other. A page is asked for when its first row is wanted, and none after the reader stops.
import type { CallOptions } from './call-options.ts';

interface Page<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly current_page: number; readonly has_next: boolean };
}

interface Position {
  page?: number;
  offset?: number;
  limit?: number;
}

type Rows<Row> = AsyncGenerator<Row, void, undefined>;

/** The most that the API gives at once: each page of a search costs one. */
const MAX_PAGE_ROWS = 1000;

/** For lists whose pages are numbered. */
export function everyPage<Query extends Pick<Position, 'page' | 'limit'>, Row>(
  ask: (query: Query, options?: CallOptions) => Promise<Page<Row>>,
) {
  return (query: Query, options?: CallOptions): Rows<Row> =>
    everyRow(
      (next: Query) => ask(next, options),
      { limit: MAX_PAGE_ROWS, ...query },
      (before, { pagination }) => ({ ...before, page: pagination.current_page + 1 }),
    );
}

/** For lists that begin at an offset. */
export function everyOffset<Query extends Pick<Position, 'offset' | 'limit'>, Row>(
  ask: (query?: Query, options?: CallOptions) => Promise<Page<Row>>,
  maxPageRows: number = MAX_PAGE_ROWS,
) {
  return (query?: Query, options?: CallOptions): Rows<Row> =>
    everyRow(
      (next: Query) => ask(next, options),
      { limit: maxPageRows, ...query } as Query,
      (before, { data }) => ({ ...before, offset: (before.offset ?? 0) + data.length }),
    );
}

async function* everyRow<Query, Row>(
  ask: (query: Query) => Promise<Page<Row>>,
  first: Query,
  next: (before: Query, page: Page<Row>) => Query,
): Rows<Row> {
  for (let query = first; ; ) {
    const page = await ask(query);
    yield* page.data;
    if (!page.pagination.has_next) return;
    query = next(query, page);
  }
}
