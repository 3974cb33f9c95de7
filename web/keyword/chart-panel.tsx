// The chart of the keyword view: ranks over time, one line per year, or whose products were the top three.

import { changeParams, place } from '../app/location.ts';
import { RangePicker } from '../chart/range-picker.tsx';
import { usePeriods } from '../parts/periods.ts';
import { Segmented } from '../parts/segmented.tsx';
import { placeNotes, useChartNotes } from './chart-notes.ts';
import { NoteList } from './note-list.tsx';
import { type KeywordChartProps, RankChart } from './rank-chart.tsx';
import { ShareChart } from './share-chart.tsx';
import { YearChart } from './year-chart.tsx';

const CHARTS = [
  { value: 'ranks', text: 'Ranks' },
  { value: 'years', text: 'By year' },
  { value: 'shares', text: 'Top three' },
] as const;

export function ChartPanel({ keywords, type }: Omit<KeywordChartProps, 'notes'>) {
  const periods = usePeriods(type);
  const terms = keywords.map(({ term, row }) => row?.search_term ?? term);
  const { answer, reload } = useChartNotes(terms);
  const notes = placeNotes(answer?.data ?? [], periods);
  const chosen = place.value.params.get('chart');
  const chart = CHARTS.find(({ value }) => value === chosen)?.value ?? 'ranks';
  return (
    <section class="panel chart-panel" aria-label="History">
      <div class="chart-head">
        <Segmented
          label="Chart"
          options={CHARTS}
          value={chart}
          onChange={(value) => changeParams({ chart: value === 'ranks' ? null : value })}
        />
        {chart !== 'years' && <RangePicker />}
      </div>
      {chart === 'ranks' && <RankChart keywords={keywords} type={type} notes={notes} />}
      {chart === 'years' && <YearChart keywords={keywords} type={type} />}
      {chart === 'shares' && <ShareChart keywords={keywords} type={type} notes={notes} />}
      {/* A key without the scope for notes, or a server without them, has a chart all the same. */}
      {answer && (
        <NoteList notes={answer.data} term={terms[0] ?? ''} day={periods.at(-1)?.end_date ?? ''} onChange={reload} />
      )}
    </section>
  );
}
