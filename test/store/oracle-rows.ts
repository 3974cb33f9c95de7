// How the oracles find a row: by period and normalised term. Many questions look at one period, so its terms are normalised once.
import { isSamePeriod, type Period } from '../../src/domain/period.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';

const termsByRows = new WeakMap<readonly TestRow[], ReadonlyMap<string, TestRow>>();

export function termsIn(rows: readonly TestRow[]): ReadonlyMap<string, TestRow> {
  const terms = termsByRows.get(rows) ?? new Map(rows.map((row) => [normalizeTerm(row.term), row]));
  termsByRows.set(rows, terms);
  return terms;
}

export function rowsOf(data: TestData, wanted: Period): readonly TestRow[] {
  return data.periods.find(({ period }) => isSamePeriod(period, wanted))?.rows ?? [];
}

export function findRow(
  data: TestData,
  { term, period }: { readonly term: string; readonly period: Period },
): TestRow | undefined {
  return termsIn(rowsOf(data, period)).get(term);
}
