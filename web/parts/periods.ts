// The published periods, which every chart and sparkline takes its time axis from.
import { type AnswerState, useAnswer } from '../api/use-answer.ts';
import type { Frequency, PeriodsAnswer, PublishedPeriod } from '../api/wire.ts';
import { marketplaceParams } from '../app/location.ts';

const NONE: readonly PublishedPeriod[] = [];

/** Those of the marketplace that is looked at. */
export function usePeriodsAnswer(): AnswerState<PeriodsAnswer> {
  const params = new URLSearchParams(marketplaceParams());
  return useAnswer<PeriodsAnswer>(`/v1/periods${params.size === 0 ? '' : `?${params}`}`);
}

/** Oldest first. */
export function usePeriods(type: Frequency, source: PublishedPeriod['source'] = 'search'): readonly PublishedPeriod[] {
  return (
    usePeriodsAnswer()
      .answer?.data.filter((each) => each.type === type && each.source === source)
      .toSorted((a, b) => comparePeriodKeys(a.period, b.period)) ?? NONE
  );
}

/** The address may say 1-2026 where the data says 01-2026. */
export function canonicalKey(key: string): string {
  const [number = '', year = ''] = key.split('-');
  return `${String(Number(number)).padStart(2, '0')}-${year}`;
}

/** Keys do not sort as text: 12-2025 comes before 01-2026. */
export function comparePeriodKeys(a: string, b: string): number {
  const [aNumber, aYear] = a.split('-').map(Number);
  const [bNumber, bYear] = b.split('-').map(Number);
  return (aYear ?? 0) - (bYear ?? 0) || (aNumber ?? 0) - (bNumber ?? 0);
}
