// An export as NDJSON: one search result (Spec 2.3) per line, the same object that the search endpoint returns: a
// share that the report left blank is 0, because the spec wants a number. With format delta or percentage the values of
// `data` are changes, and periods without one are absent.
import type { Readable } from 'node:stream';
import { type KeywordExport, MAX_PRODUCTS } from '../domain/keyword-export.ts';
import { type PeriodKey, periodKey } from '../domain/period.ts';
import type { SearchRow } from '../domain/search-row.ts';
import { periodCells, plainValue } from './cells.ts';
import { periodHeadings } from './columns.ts';
import { openLines } from './line-stream.ts';

export function openNdjson(input: KeywordExport): Readable {
  const keys = periodHeadings(input.periods);
  const line = (row: SearchRow) => {
    const values = periodCells(row.ranks, input).map((cell) => cell && plainValue(cell, input));
    return `${JSON.stringify(presentResult(row, { keys, values }))}\n`;
  };
  return openLines(input, { head: '', line });
}

/**
 * A row on the wire (Spec 2.3), with one value or none for each period. JSON can carry any text, so nothing is cleaned;
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
  };
}
