// A table as NDJSON: one element of the list per line, the same object that the API answers with.
import type { Readable } from 'node:stream';
import { MAX_PRODUCTS } from '../domain/keyword-export.ts';
import { type PeriodKey, periodKey } from '../domain/period.ts';
import type { SearchRow } from '../domain/search-row.ts';
import { presentInsights } from './insight-fields.ts';
import { openLines } from './line-stream.ts';
import type { Table } from './table.ts';

export function openNdjson<Row>(table: Table<Row>): Readable {
  return openLines(table, { head: '', line: (row) => `${JSON.stringify(table.present(row))}\n` });
}

/**
 * A keyword on the wire (Spec 2.3), with one value or none for each period; a share that the report left blank is 0, because the spec wants
 * a number. JSON can carry any text, so nothing is cleaned;
 * JSON.stringify escapes controls and lone surrogates.
 */
export function presentResult(
  row: SearchRow,
  { keys, values }: { readonly keys: readonly PeriodKey[]; readonly values: readonly (number | null)[] },
) {
  const data = keys.flatMap((key, index): (readonly [PeriodKey, number])[] => {
    const value = values[index] ?? null;
    return value === null ? [] : [[key, value]];
  });
  return {
    search_term: row.searchTerm,
    normalized_search_term: row.normalizedSearchTerm,
    data: Object.fromEntries(data),
    summary: {
      total_periods: row.totalPeriods,
      best_rank: row.bestRank,
      worst_rank: row.worstRank,
      avg_rank: row.avgRank,
      latest_rank: row.latestRank,
      latest_period: periodKey(row.latestPeriod),
    },
    latest_data: {
      brands: row.brands,
      products: row.products.slice(0, MAX_PRODUCTS).map((product) => ({
        asin: product.asin,
        title: product.title,
        click_share: product.clickShare ?? 0,
        conversion_share: product.conversionShare ?? 0,
      })),
      categories: row.categories,
    },
    ...(row.insights && { insights: presentInsights(row.insights) }),
  };
}
