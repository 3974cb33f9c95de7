// What the trend lists need in order: for each document of the newest period its rank in the period before and its place
// among the terms, and the documents that moved, sorted once by the build, so that a page costs the same wherever it lies.
import { MAX_RANK } from '../../domain/ranking.ts';
import { changeHundredths } from '../../domain/trend.ts';
import { gatherValues, type SparseColumn } from '../format/sparse-column.ts';
import type { TextColumn } from '../format/text-column.ts';
import { sortByKey } from './key-order.ts';
import { sortByText } from './term-order.ts';

export interface TrendSource {
  /** Documents with a rank in the newest period; they stand first, in the order of that rank. */
  readonly newestCount: number;
  readonly documentSlots: Uint32Array | Uint16Array;
  readonly latestRanks: Uint32Array | Uint16Array;
  /** By slot, of the period before the newest; undefined when there is none. */
  readonly previousRanks: SparseColumn | undefined;
  /** By document. */
  readonly terms: TextColumn;
}

/** As snapshot-view.ts describes them. */
export function buildTrendColumns(source: TrendSource) {
  const { newestCount, documentSlots, latestRanks, previousRanks } = source;
  const earlier = gatherEarlier({ newestCount, documentSlots, previousRanks });
  const moved = new Uint32Array(newestCount);
  let count = 0;
  for (let document = 0; document < newestCount; document += 1) {
    const rank = earlier[document] ?? 0;
    moved[count] = document;
    count += rank !== 0 && rank !== latestRanks[document] ? 1 : 0;
  }
  const documents = moved.subarray(0, count);
  // Keys grow towards the end of the list and are never negative.
  const changeKeys = new Uint32Array(count);
  const absChangeKeys = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) {
    const document = documents[i] ?? 0;
    const fall = (latestRanks[document] ?? 0) - (earlier[document] ?? 0);
    changeKeys[i] = MAX_RANK + fall;
    absChangeKeys[i] = MAX_RANK - Math.abs(fall);
  }
  return {
    'previous-rank': earlier,
    'term-place': placeTerms(source),
    'percentage-place': placePercentages({ documents, earlier, latestRanks }),
    'change-order': sortByKey(documents, changeKeys),
    'abs-change-order': sortByKey(documents, absChangeKeys),
  };
}

function gatherEarlier({
  newestCount,
  documentSlots,
  previousRanks,
}: Pick<TrendSource, 'newestCount' | 'documentSlots' | 'previousRanks'>): Uint32Array {
  if (!previousRanks) return new Uint32Array(newestCount);
  const values = Uint32Array.from(documentSlots.subarray(0, newestCount));
  gatherValues(previousRanks, { values, count: newestCount, width: 1, from: 0, to: 0 });
  return values;
}

function placeTerms({ newestCount, terms }: TrendSource): Uint32Array {
  const sorted = sortByText(
    terms,
    Uint32Array.from({ length: newestCount }, (_, document) => document),
  );
  const places = new Uint32Array(newestCount);
  for (let place = 0; place < newestCount; place += 1) places[sorted[place] ?? 0] = place;
  return places;
}

/** Places of the documents among the changes in percent that there are, ascending, as they are shown; 0 for all others. */
function placePercentages({
  documents,
  earlier,
  latestRanks,
}: {
  readonly documents: Uint32Array;
  readonly earlier: Uint32Array;
  readonly latestRanks: TrendSource['latestRanks'];
}): Uint32Array {
  const { length } = documents;
  // Hundredths of a percent counted from the deepest fall have 39 bits.
  const low = new Uint32Array(length);
  const high = new Uint32Array(length);
  for (let i = 0; i < length; i += 1) {
    const document = documents[i] ?? 0;
    const hundredths = MAX_RANK * 10_000 + changeHundredths(earlier[document] ?? 0, latestRanks[document] ?? 0);
    low[i] = hundredths % 2 ** 32;
    high[i] = Math.floor(hundredths / 2 ** 32);
  }
  const byLow = sortByKey(Uint32Array.from(low.keys()), low);
  const sorted = sortByKey(
    byLow,
    byLow.map((i) => high[i] ?? 0),
  );
  const places = new Uint32Array(earlier.length);
  let place = 0;
  for (let at = 0; at < length; at += 1) {
    const i = sorted[at] ?? 0;
    const before = sorted[at - 1] ?? i;
    if (low[i] !== low[before] || high[i] !== high[before]) place += 1;
    places[documents[i] ?? 0] = place;
  }
  return places;
}
