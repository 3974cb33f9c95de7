import type { ApiPath } from '../api/client.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { Frequency, SearchAnswer, Share } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { RangePicker } from '../chart/range-picker.tsx';
import { RankChart } from '../keyword/rank-chart.tsx';
import { ShareChart } from '../keyword/share-chart.tsx';
import { YearChart } from '../keyword/year-chart.tsx';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Segmented } from '../parts/segmented.tsx';
import '../styles/keyword.css';

const CHARTS = [
  { value: 'ranks', text: 'Ranks' },
  { value: 'years', text: 'By year' },
  { value: 'shares', text: 'Top three' },
] as const;

export function SharedChart({ share }: { readonly share: Share }) {
  const path = (share.calls[0] ?? '') as ApiPath;
  const params = new URLSearchParams(path.split('?')[1]);
  const type: Frequency = params.get('type') === 'weekly' ? 'weekly' : 'monthly';
  const { answer, failure, reload } = useAnswer<SearchAnswer>(path);
  if (failure) return <FailureNotice failure={failure} onRetry={reload} />;
  if (!answer) return <Skeleton rows={1} height={340} />;
  const keywords = params.getAll('query').map((term) => ({
    ...{ term, detail: undefined, failure: undefined, isLoading: false },
    row: answer.data.find((row) => row.normalized_search_term === normalized(term)),
  }));
  if (answer.data.length === 0) {
    return <EmptyNotice title="There are no ranks of these keywords in the periods that are shown." />;
  }
  const chart = CHARTS.find(({ value }) => value === place.value.params.get('chart'))?.value ?? 'ranks';
  return (
    <section class="panel chart-panel" aria-label="History">
      <div class="chart-head">
        <Segmented
          label="Chart"
          options={CHARTS}
          value={chart}
          onChange={(value) => changeParams({ chart: value === 'ranks' ? null : value }, { replaces: true })}
        />
        {chart !== 'years' && <RangePicker />}
      </div>
      {chart === 'ranks' && <RankChart keywords={keywords} type={type} notes={[]} />}
      {chart === 'years' && <YearChart keywords={keywords} type={type} />}
      {chart === 'shares' && <ShareChart keywords={keywords} type={type} notes={[]} />}
    </section>
  );
}

/** As the service normalises terms, as far as it matters between the few of one chart. */
function normalized(term: string): string {
  return term.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
