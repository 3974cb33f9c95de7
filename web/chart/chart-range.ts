// Which part of a history a chart shows, as the address has it: `range` counts months back from the newest period, `from` and `to`
// name periods.
import type { Frequency, PublishedPeriod } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { formatPeriod, formatPeriodShort } from '../parts/format.ts';
import { canonicalKey } from '../parts/periods.ts';
import type { ChartRange, Mark } from './chart-scale.ts';

export const RANGES = [
  { value: '3', text: '3 m', name: '3 months' },
  { value: '6', text: '6 m', name: '6 months' },
  { value: '12', text: '12 m', name: '12 months' },
  { value: '24', text: '24 m', name: '24 months' },
  { value: '', text: 'All', name: 'The whole history' },
] as const;

type Dated = Pick<PublishedPeriod, 'period' | 'end_date'>;

export function marksOf(periods: readonly Dated[], type: Frequency): readonly Mark[] {
  return periods.map(({ period }) => ({
    text: formatPeriodShort(period, type).replace(', ', '\n'),
    name: formatPeriod(period, type),
  }));
}

/** The preset that the address names; none where it names periods. */
export function readPreset(): string | undefined {
  const { params } = place.value;
  if (params.has('from') && params.has('to')) return undefined;
  return RANGES.find(({ value }) => value === params.get('range'))?.value ?? '';
}

export function choosePreset(value: string): void {
  changeParams({ range: value === '' ? null : value, from: null, to: null });
}

/** The part that the address names, or all. */
export function readRange(periods: readonly Dated[]): ChartRange {
  const { params } = place.value;
  const last = Math.max(0, periods.length - 1);
  const [from, to] = ['from', 'to'].map((name) => {
    const key = canonicalKey(params.get(name) ?? '');
    return periods.findIndex(({ period }) => period === key);
  });
  if (from !== undefined && to !== undefined && from >= 0 && to > from) return { from, to };
  const preset = readPreset();
  const newest = periods[last];
  if (!preset || !newest) return { from: 0, to: last };
  const after = monthsBefore(newest.end_date, Number(preset));
  return {
    from: Math.max(
      0,
      Math.min(
        last - 1,
        periods.findIndex(({ end_date: end }) => end > after),
      ),
    ),
    to: last,
  };
}

/** The end of the month so many months before; days as YYYY-MM-DD. */
function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const lastDate = new Date(Date.UTC(year, month - months, 0)).getUTCDate();
  const isMonthEnd = new Date(Date.UTC(year, month - 1, date + 1)).getUTCDate() === 1;
  return new Date(Date.UTC(year, month - 1 - months, isMonthEnd ? lastDate : Math.min(date, lastDate)))
    .toISOString()
    .slice(0, 10);
}

export function zoomTo({ from, to }: ChartRange, periods: readonly Dated[]): void {
  const isWhole = from === 0 && to === periods.length - 1;
  changeParams({
    range: null,
    from: isWhole ? null : (periods[from]?.period ?? null),
    to: isWhole ? null : (periods[to]?.period ?? null),
  });
}
