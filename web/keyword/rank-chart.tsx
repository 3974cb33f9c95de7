// The ranks of up to five keywords over time.

import type { Frequency } from '../api/wire.ts';
import type { ChartNoteMark } from '../chart/chart.tsx';
import { ChartBox } from '../chart/chart-box.tsx';
import { marksOf, readRange, zoomTo } from '../chart/chart-range.ts';
import { SERIES_DASHES, seriesVariable } from '../chart/series-colour.ts';
import { usePeriods } from '../parts/periods.ts';
import type { ComparedKeyword } from './compared-keywords.ts';
import { nameOfFile, numberFiles } from './keyword-files.ts';

export interface KeywordChartProps {
  readonly keywords: readonly ComparedKeyword[];
  readonly type: Frequency;
  readonly notes: readonly ChartNoteMark[];
}

export function RankChart({ keywords, type, notes }: KeywordChartProps) {
  const periods = usePeriods(type);
  const terms = keywords.map(({ term, row }) => row?.search_term ?? term);
  if (periods.length === 0) return null;
  return (
    <ChartBox
      title={`Search rank: ${terms.join(', ')}`}
      marks={marksOf(periods, type)}
      series={keywords.map(({ row }, i) => ({
        name: terms[i] ?? '',
        values: periods.map(({ period }) => row?.data[period] ?? null),
        colour: seriesVariable(i),
        dash: SERIES_DASHES[i],
      }))}
      shape="lines"
      measure="rank"
      range={readRange(periods)}
      notes={notes}
      onZoom={(range) => zoomTo(range, periods)}
      fileName={nameOfFile(terms, 'ranks')}
      files={numberFiles(keywords, type)}
    />
  );
}
