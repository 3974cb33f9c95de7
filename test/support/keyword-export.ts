// Exports for tests: small, with plain data, and readers of what was written.
import type { Insights } from '../../src/domain/insights.ts';
import type { KeywordExport } from '../../src/domain/keyword-export.ts';
import type { Period } from '../../src/domain/period.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';

type Periods = readonly [Period, ...Period[]];

export function months({ count, year = 2024 }: { readonly count: number; readonly year?: number }): Periods {
  const month = (index: number): Period => ({
    frequency: 'monthly',
    year: year + Math.floor(index / 12),
    number: 1 + (index % 12),
  });
  return [month(0), ...Array.from({ length: count - 1 }, (_, index) => month(index + 1))];
}

/** A row whose summary follows from its ranks. */
export function keywordRow(
  searchTerm: string,
  {
    periods,
    ranks,
    ...rest
  }: { readonly periods: Periods; readonly ranks: readonly (number | null)[] } & Partial<SearchRow>,
): SearchRow {
  const known = ranks.flatMap((rank) => (rank ? [rank] : []));
  const latest = ranks.findLastIndex((rank) => rank);
  return {
    searchTerm,
    normalizedSearchTerm: searchTerm.toLowerCase(),
    ranks,
    latestPeriod: periods[latest] ?? periods[0],
    latestRank: known.at(-1) ?? 0,
    bestRank: Math.min(...known),
    worstRank: Math.max(...known),
    avgRank: known.reduce((sum, rank) => sum + rank, 0) / known.length,
    totalPeriods: known.length,
    products: [],
    brands: [],
    categories: [],
    ...rest,
  };
}

/** Everything that a row can say beyond its ranks, with one number that is not known. */
export function exampleInsights([first]: Periods): Insights {
  return {
    fromPeriod: first,
    toPeriod: first,
    fromRank: 524,
    toRank: 259,
    change: 265,
    changePercentage: 50.57,
    yearChange: null,
    clickConcentration: 12.67,
    conversionConcentration: 20.15,
    conversionToClick: 1.5904,
    titleGap: true,
    firstSeen: first,
    streak: 2,
  };
}

export function keywordExport(
  rows: readonly SearchRow[],
  overrides: Partial<KeywordExport> & { readonly periods: Periods },
): KeywordExport {
  return {
    description: {
      queries: ['running shoes'],
      filters: [{ name: 'Brand', value: 'Acme; Bolt' }],
      planWindow: 'Pro: the last 24 months',
      dataVersion: 'US monthly, revision 7',
      rowCount: rows.length,
      exportedAtMs: Date.UTC(2026, 10, 1, 9, 30, 12),
    },
    frequency: overrides.periods[0].frequency,
    format: 'raw',
    colorThresholdPercent: 0,
    includesInsights: rows.some(({ insights }) => insights !== undefined),
    batches: inBatches(rows),
    ...overrides,
  };
}

export async function* inBatches(rows: readonly SearchRow[], size = 100): AsyncGenerator<readonly SearchRow[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

export async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Rows as people know them, for tests that look at a whole workbook. */
export function exampleRows(periods: Periods): readonly SearchRow[] {
  const terms = [
    'running shoes',
    'running shoes women',
    'trail running shoes',
    'café crème',
    '2024',
    '靴 メンズ',
    'yoga mat 👟',
  ];
  return terms.map((term, place) => {
    const ranks = periods.map((_, index) => {
      if ((index + place) % 7 === 5) return null;
      return 100 + place * 12_345 + ((index * 7919 + place * 104_729) % 97) * (1 + place * 40);
    });
    return keywordRow(term, {
      periods,
      ranks,
      products: [
        'One & only',
        'Two < three',
        'A rather long title of a product, as marketplaces have them, in blue',
      ].map((title, index) => ({
        asin: `B00000000${index}`,
        title: `${title} ${term}`,
        clickShare: 12.34 / (index + 1),
        conversionShare: 7.5 - index,
      })),
      brands: ['Acme', 'Bolt, Inc.'],
      categories: ['Clothing, Shoes & Jewelry', 'Sports & Outdoors'],
    });
  });
}
