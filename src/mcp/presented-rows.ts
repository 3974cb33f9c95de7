// Rows as an agent needs them: the figures, and of products the few words that identify them.
import { normalizeTerm } from '../domain/term.ts';
import type { ApiBody } from './api.ts';

interface SearchResult {
  readonly search_term: string;
  readonly normalized_search_term: string;
  readonly data: Readonly<Record<string, number>>;
  readonly summary: object;
  readonly insights?: object;
  readonly latest_data: {
    readonly brands: readonly string[];
    readonly categories: readonly string[];
    readonly products: readonly { readonly asin: string; readonly title: string; readonly click_share: number }[];
  };
}

interface Pagination {
  readonly total_count: number;
  readonly has_next: boolean;
}

const MAX_TITLE_CHARACTERS = 80;

export function presentKeywords(body: ApiBody): Readonly<Record<string, unknown>> {
  const rows = body.data as readonly SearchResult[];
  return { ...presentTotal(body), keywords: rows.map(presentKeyword) };
}

function presentKeyword({ search_term, summary, latest_data, insights }: SearchResult): object {
  return {
    term: search_term,
    ...summary,
    ...(insights && { insights }),
    brands: latest_data.brands,
    categories: latest_data.categories,
    products: latest_data.products.map(({ asin, title, click_share }) => ({
      asin,
      title: shortened(title),
      click_share,
    })),
  };
}

/** Ranks by period, oldest first, and which of the terms have none. */
export function presentHistories(body: ApiBody, terms: readonly string[]): Readonly<Record<string, unknown>> {
  const rows = body.data as readonly SearchResult[];
  const found = new Set(rows.map(({ normalized_search_term }) => normalized_search_term));
  return {
    keywords: rows.map(({ search_term, data, summary }) => ({ term: search_term, ...summary, ranks: data })),
    not_found: terms.filter((term) => !found.has(normalizeTerm(term))),
  };
}

export function presentList(body: ApiBody): Readonly<Record<string, unknown>> {
  return { ...presentTotal(body), ...(body.periods ? { periods: body.periods } : {}), rows: body.data };
}

function presentTotal({ pagination }: ApiBody): Readonly<Record<string, unknown>> {
  const { total_count, has_next } = pagination as Pagination;
  return { total: total_count, has_more: has_next };
}

function shortened(title: string): string {
  return title.length <= MAX_TITLE_CHARACTERS ? title : `${title.slice(0, MAX_TITLE_CHARACTERS - 1)}…`;
}

/** A product or a brand, without the dates of its periods and those in which it holds nothing. */
export function presentHolder({ data }: ApiBody): Readonly<Record<string, unknown>> {
  const { periods, ...holder } = data as { readonly periods: readonly DatedPeriod[] };
  return { ...holder, periods: periods.filter(({ keywords }) => keywords !== 0).map(withoutDates) };
}

/** The periods in which a term has a rank, with short titles. */
export function presentHistory({ data }: ApiBody): Readonly<Record<string, unknown>> {
  const periods = data as readonly (DatedPeriod & { readonly products: readonly { readonly title: string }[] })[];
  return {
    periods: periods
      .filter(({ rank }) => rank !== null)
      .map((period) => ({
        ...withoutDates(period),
        products: period.products.map((product) => ({ ...product, title: shortened(product.title) })),
      })),
  };
}

interface DatedPeriod {
  readonly start_date: string;
  readonly end_date: string;
  readonly keywords?: number;
  readonly rank?: number | null;
}

function withoutDates({ start_date: _start, end_date: _end, ...period }: DatedPeriod): object {
  return period;
}
