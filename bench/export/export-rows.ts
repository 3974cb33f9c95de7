// Rows for measuring exports without a search behind them: the same on every machine.
import { setImmediate } from 'node:timers/promises';
import type { KeywordExport } from '../../src/domain/keyword-export.ts';
import type { Period } from '../../src/domain/period.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';

export interface ExportSize {
  readonly rows: number;
  readonly periods: number;
}

/** As many as the service takes from a search at a time. */
const BATCH_ROWS = 100;
const MADE_ROWS = 2000;
const WORDS = ['running', 'shoes', 'women', 'trail', 'wide', 'kids', 'café', 'waterproof', 'light', 'gel', 'black'];

type Random = (below: number) => number;
type Source = (rows: number, periods: readonly Period[]) => AsyncGenerator<readonly SearchRow[]>;

export function syntheticExport({ rows, periods: count }: ExportSize, source: Source): KeywordExport {
  const periods = Array.from({ length: count }, (_, i): Period => {
    return { frequency: 'monthly', year: 2020 + Math.floor(i / 12), number: 1 + (i % 12) };
  });
  return {
    description: {
      queries: ['running shoes'],
      filters: [],
      planWindow: 'Studio: all months',
      dataVersion: 'bench',
      rowCount: rows,
      exportedAtMs: Date.UTC(2026, 10, 1),
    },
    frequency: 'monthly',
    periods,
    format: 'raw',
    colorThresholdPercent: 5,
    includesInsights: false,
    batches: source(rows, periods),
  };
}

/** Made anew for every batch, as by a search, so that they count in the memory. */
export async function* freshBatches(rows: number, periods: readonly Period[]): AsyncGenerator<readonly SearchRow[]> {
  const random = randomNumbers();
  for (let done = 0; done < rows; done += BATCH_ROWS) {
    // Rows come from a worker thread in the service, so the producer gives way to the event loop as that would.
    await setImmediate();
    yield Array.from({ length: Math.min(BATCH_ROWS, rows - done) }, () => makeRow(periods, random));
  }
}

/** Made beforehand and repeated, so that only the writing of them counts in the time. */
export async function* madeBatches(rows: number, periods: readonly Period[]): AsyncGenerator<readonly SearchRow[]> {
  const random = randomNumbers();
  const made = Array.from({ length: MADE_ROWS }, () => makeRow(periods, random));
  for (let done = 0; done < rows; done += BATCH_ROWS) {
    await setImmediate();
    const start = done % MADE_ROWS;
    yield made.slice(start, start + Math.min(BATCH_ROWS, rows - done));
  }
}

function makeRow(periods: readonly Period[], random: Random): SearchRow {
  const level = 1000 + random(900_000);
  const word = () => WORDS[random(WORDS.length)] ?? '';
  const term = Array.from({ length: 2 + random(4) }, word).join(' ');
  const latestPeriod = periods.at(-1);
  if (!latestPeriod) throw new RangeError('an export needs at least one period');
  return {
    searchTerm: term,
    normalizedSearchTerm: term,
    ranks: periods.map(() => (random(10) === 0 ? null : level + random(level))),
    latestPeriod,
    latestRank: level,
    bestRank: level,
    worstRank: level * 2,
    avgRank: level + random(10) / 10,
    totalPeriods: periods.length,
    products: [0, 1, 2].map(() => ({
      asin: `B0${(10_000_000 + random(89_999_999)).toString(36).toUpperCase().padStart(8, '0')}`,
      title: `${word()} & ${term}, ${random(1000)} units, ${word()}`,
      clickShare: random(10_000) / 100,
      conversionShare: random(10_000) / 100,
    })),
    brands: ['Acme', `Brand ${random(500)}`],
    categories: ['Clothing, Shoes & Jewelry'],
  };
}

/** A small linear congruential generator: every contender writes the same rows. */
function randomNumbers(): Random {
  let state = 42;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
