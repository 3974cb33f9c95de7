// The numbers of the insights by which searches are ordered and filtered (docs/numbers.md), for many documents at a time: whole
// numbers of the steps in which they are shown, NaN for none, which no comparison lets through.
import { conversionToClickSteps, RATIO_STEPS } from '../../domain/insights.ts';
import { isSamePeriod, type Period } from '../../domain/period.ts';
import type { SearchPlan } from '../../domain/search-plan.ts';
import { changeHundredths } from '../../domain/trend.ts';
import { NONE_16 } from '../format/format.ts';
import type { SnapshotView, Triple } from '../format/snapshot-view.ts';
import { gatherValues, type SparseColumn } from '../format/sparse-column.ts';
import { takeMeasures, takeRoom } from './arena.ts';
import { countBelow, type DocumentList } from './document-list.ts';

export type MeasureName =
  | 'change'
  | 'change_percentage'
  | 'year_change'
  | 'click_concentration'
  | 'conversion_to_click';

export interface Measure {
  /** By position, for ascending documents; valid until the next call. */
  readonly valuesOf: (documents: DocumentList) => Float64Array;
  /** A shown number has so many steps. */
  readonly steps: number;
  /** What its values depend on beside the view: where it is the same object, so are they. */
  readonly source: object;
  /** Documents from this one on have none. */
  readonly end: number;
}

/** Undefined where no document has any. */
export function openMeasure(
  view: SnapshotView,
  { comparison }: Pick<SearchPlan, 'comparison'>,
  name: MeasureName,
): Measure | undefined {
  switch (name) {
    case 'change':
      return openMove(view, { ...comparison, steps: 1, moveOf: (from, to) => from - to });
    case 'change_percentage':
      return openMove(view, { ...comparison, steps: 100, moveOf: changeHundredths });
    case 'year_change':
      return openMove(view, { ...comparison, from: comparison.yearAgo, steps: 1, moveOf: (from, to) => from - to });
    case 'click_concentration':
      return openShares(view, { steps: 100, shareOf: (document) => sumOf(view.clickShares, document) });
    case 'conversion_to_click':
      return openShares(view, {
        steps: RATIO_STEPS,
        shareOf: (document) =>
          conversionToClickSteps(sumOf(view.conversionShares, document), sumOf(view.clickShares, document)),
      });
  }
}

interface MoveOptions {
  readonly from: Period | undefined;
  readonly to: Period | undefined;
  readonly steps: number;
  readonly moveOf: (from: number, to: number) => number;
}

/** The newer period of a search is the newest one, whose documents are the first. */
function openMove(view: SnapshotView, { from, to, steps, moveOf }: MoveOptions): Measure | undefined {
  const { latestRanks } = view;
  const end = view.periodEnds[0] ?? 0;
  const newest = view.periods.length - 1;
  if (!from || !to || !isSamePeriod(to, view.periods[newest] ?? from)) return undefined;
  const fromPeriod = view.periods.findIndex((period) => isSamePeriod(period, from));
  const ranks = view.ranks[fromPeriod];
  if (!ranks) return undefined;
  const valuesOf = (documents: DocumentList): Float64Array => {
    const count = countBelow(documents, end);
    const values = takeMeasures(documents.length);
    const earlier =
      fromPeriod === newest - 1
        ? gatherPrevious(view, documents, count)
        : gatherRanks(view, ranks, { documents, count });
    for (let i = 0; i < count; i += 1) {
      const rank = earlier[i] ?? 0;
      values[i] = rank === 0 ? Number.NaN : moveOf(rank, latestRanks[documents[i] ?? 0] ?? 0);
    }
    return values.fill(Number.NaN, count);
  };
  return { valuesOf, steps, source: ranks, end };
}

/** The build has them by document. */
function gatherPrevious({ previousRanks }: SnapshotView, documents: DocumentList, count: number): Uint32Array {
  const earlier = takeRoom('comparedRanks', count);
  for (let i = 0; i < count; i += 1) earlier[i] = previousRanks[documents[i] ?? 0] ?? 0;
  return earlier;
}

function gatherRanks(
  { documentSlots }: SnapshotView,
  ranks: SparseColumn,
  { documents, count }: { readonly documents: DocumentList; readonly count: number },
): Uint32Array {
  const earlier = takeRoom('comparedRanks', count);
  for (let i = 0; i < count; i += 1) earlier[i] = documentSlots[documents[i] ?? 0] ?? 0;
  gatherValues(ranks, { values: earlier, count, width: 1, from: 0, to: 0 });
  return earlier;
}

function openShares(
  view: SnapshotView,
  { steps, shareOf }: { readonly steps: number; readonly shareOf: (document: number) => number | null },
): Measure {
  const valuesOf = (documents: DocumentList): Float64Array => {
    const values = takeMeasures(documents.length);
    for (let i = 0; i < values.length; i += 1) values[i] = shareOf(documents[i] ?? 0) ?? Number.NaN;
    return values;
  };
  return { valuesOf, steps, source: view, end: view.documentCount };
}

/** In hundredths; null where none is known. */
function sumOf([first, second, third]: Triple<Uint16Array>, document: number): number | null {
  const [a, b, c] = [first[document] ?? NONE_16, second[document] ?? NONE_16, third[document] ?? NONE_16];
  if ((a & b & c) === NONE_16) return null;
  return (a === NONE_16 ? 0 : a) + (b === NONE_16 ? 0 : b) + (c === NONE_16 ? 0 : c);
}
