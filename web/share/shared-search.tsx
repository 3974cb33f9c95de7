import type { ApiPath } from '../api/client.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { Frequency, SearchAnswer, Share } from '../api/wire.ts';
import { formatNumber } from '../parts/format.ts';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { usePeriods } from '../parts/periods.ts';
import { RankTable } from './rank-table.tsx';

export function SharedSearch({ share }: { readonly share: Share }) {
  const path = (share.calls[0] ?? '') as ApiPath;
  const type: Frequency = new URLSearchParams(path.split('?')[1]).get('type') === 'weekly' ? 'weekly' : 'monthly';
  const { answer, failure, reload } = useAnswer<SearchAnswer>(path);
  const periods = usePeriods(type);
  if (failure) return <FailureNotice failure={failure} onRetry={reload} />;
  if (!answer) return <Skeleton rows={8} />;
  const { data, pagination } = answer;
  const rows = data.map(({ search_term, normalized_search_term, data: ranks, summary, latest_data }) => ({
    key: normalized_search_term,
    name: search_term,
    remark: latest_data.brands.filter((brand, i, all) => all.indexOf(brand) === i).join(', '),
    history: periods.map(({ period }) => ({ period, rank: ranks[period] })),
    latest: summary.latest_rank,
    best: summary.best_rank,
  }));
  return (
    <>
      <p class="muted">
        {formatNumber(pagination.total_count)} {pagination.total_count === 1 ? 'keyword' : 'keywords'}
        {pagination.total_count > data.length && `, of which ${formatNumber(data.length)} are shown`}
      </p>
      <RankTable rows={rows} type={type} empty="The search finds nothing in the periods that are shown." />
    </>
  );
}
