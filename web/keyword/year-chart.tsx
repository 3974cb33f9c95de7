// One keyword, one line per year, so that months lie above each other.

import type { Frequency } from '../api/wire.ts';
import { ChartBox } from '../chart/chart-box.tsx';
import type { Mark } from '../chart/chart-scale.ts';
import { SERIES_DASHES, seriesVariable } from '../chart/series-colour.ts';
import { formatPeriod } from '../parts/format.ts';
import { usePeriods } from '../parts/periods.ts';
import { nameOfFile, numberFiles } from './keyword-files.ts';
import type { KeywordChartProps } from './rank-chart.tsx';

/** As many as there are colours. */
const MAX_YEARS = 5;
const LENGTHS: Readonly<Record<Frequency, number>> = { monthly: 12, weekly: 53 };

export function YearChart({ keywords, type }: Omit<KeywordChartProps, 'notes'>) {
  const periods = usePeriods(type);
  const [keyword] = keywords;
  const data = keyword?.row?.data;
  if (!keyword || !data || periods.length === 0) return null;
  const all = [...new Set(periods.map(({ period }) => yearOf(period)))];
  const years = all.slice(-MAX_YEARS).toReversed();
  const marks = marksOfYear(type);
  const name = keyword.row?.search_term ?? keyword.term;
  return (
    <ChartBox
      title={`${name}, year over year`}
      marks={marks}
      series={years.map((year, i) => ({
        name: year,
        values: marks.map((_, k) => data[keyOf(k + 1, year)] ?? null),
        colour: seriesVariable(i),
        dash: SERIES_DASHES[i],
      }))}
      shape="lines"
      measure="rank"
      range={{ from: 0, to: marks.length - 1 }}
      restsAt={Number(periods.at(-1)?.period.split('-')[0]) - 1}
      fileName={nameOfFile([name], 'years')}
      files={numberFiles([keyword], type)}
    >
      {(keywords.length > 1 || all.length > MAX_YEARS) && (
        <p class="muted chart-remark">
          {keywords.length > 1 && `The years of “${name}” alone. `}
          {all.length > MAX_YEARS && `The newest ${MAX_YEARS} of ${all.length} years.`}
        </p>
      )}
    </ChartBox>
  );
}

function yearOf(period: string): string {
  return period.split('-')[1] ?? '';
}

function keyOf(number: number, year: string): string {
  return `${String(number).padStart(2, '0')}-${year}`;
}

/** Months by name; weeks by number, because their days differ from year to year. */
function marksOfYear(type: Frequency): readonly Mark[] {
  return Array.from({ length: LENGTHS[type] }, (_, i) => {
    const text = type === 'monthly' ? (formatPeriod(keyOf(i + 1, '2000'), type).split(' ')[0] ?? '') : `W${i + 1}`;
    return { text, name: text };
  });
}
