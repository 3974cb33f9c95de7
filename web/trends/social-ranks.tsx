// Social-media ranks as small multiples: many little histories beside each other, each on its own scale, so that the eye finds
// the shape.

import { useAnswer } from '../api/use-answer.ts';
import type { Frequency, SocialAnswer, SocialRank } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { Change } from '../parts/change.tsx';
import { formatNumber, formatPeriod } from '../parts/format.ts';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { Star } from '../tracked/star.tsx';
import { EmptyTrend } from './empty-trend.tsx';
import { hasDetails, KeywordProducts } from './keyword-details.tsx';
import { TrendFilters } from './trend-filters.tsx';
import { TrendPager } from './trend-pager.tsx';
import { trendParams } from './trend-params.ts';
import { TrendTools } from './trend-tools.tsx';

const PATH = '/v1/trends/social-media-ranks';

const ORDERS = [
  { value: 'total_improvement DESC', text: 'Biggest climb' },
  { value: 'total_improvement ASC', text: 'Biggest fall' },
  { value: 'end_rank ASC', text: 'Best rank now' },
  { value: 'start_rank ASC', text: 'Best rank before' },
  { value: 'query ASC', text: 'Keyword' },
];

export function SocialRanks({ type }: { readonly type: Frequency }) {
  const params = trendParams(type, ['order_by', 'order_direction'], {});
  const { answer, failure, isLoading, reload } = useAnswer<SocialAnswer>(`${PATH}?${params}`);
  const given = place.value.params;
  const order = `${given.get('order_by') ?? 'total_improvement'} ${given.get('order_direction') ?? 'DESC'}`;
  return (
    <>
      <div class="trend-bar">
        <label class="field">
          <span>Sort by</span>
          <select
            value={order}
            onChange={(event) => {
              const [field = '', direction = ''] = event.currentTarget.value.split(' ');
              changeParams({ order_by: field, order_direction: direction, offset: null });
            }}
          >
            {ORDERS.map(({ value, text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <TrendFilters />
        <TrendTools path={PATH} params={params} type={type} page={answer} />
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!answer && !failure && <Skeleton rows={6} height={110} />}
      {answer && !failure && <Multiples answer={answer} type={type} isStale={isLoading} />}
    </>
  );
}

interface MultiplesProps {
  readonly answer: SocialAnswer;
  readonly type: Frequency;
  readonly isStale: boolean;
}

function Multiples({ answer, type, isStale }: MultiplesProps) {
  if (answer.data.length === 0) {
    return (
      <EmptyTrend
        pagination={answer.pagination}
        title={
          answer.periods.start
            ? `No keyword has a rank in both ${formatPeriod(answer.periods.start, type)} and ${formatPeriod(answer.periods.end, type)}.`
            : `There are no ${type} social-media ranks yet.`
        }
      >
        <p>Whoever runs this service imports them, on the machine where it runs:</p>
        <pre class="command">npx keyrank import ranks.csv --source social</pre>
      </EmptyTrend>
    );
  }
  return (
    <>
      <p class="trend-count" role="status">
        <b>{formatNumber(answer.pagination.total_count)}</b> keywords on social media
        <span class="muted">
          {' '}
          from {formatPeriod(answer.periods.start, type)} to {formatPeriod(answer.periods.end, type)}
        </span>
      </p>
      <ul class={isStale ? 'multiples is-stale' : 'multiples'}>
        {answer.data.map((rank) => (
          <Multiple key={rank.query} rank={rank} values={answer.periods.values} type={type} />
        ))}
      </ul>
      <TrendPager pagination={answer.pagination} />
    </>
  );
}

interface MultipleProps {
  readonly rank: SocialRank;
  readonly values: readonly string[];
  readonly type: Frequency;
}

function Multiple({ rank, values, type }: MultipleProps) {
  return (
    <li class="multiple">
      <div class="multiple-head">
        <a href={addressOfKeyword(rank.query, { type })} data-view title={rank.query}>
          {rank.query}
        </a>
        <Star term={rank.query} />
      </div>
      <Sparkline
        history={values.map((period) => ({ period, rank: rank.ranks[period] }))}
        type={type}
        width={208}
        height={52}
      />
      <div class="multiple-line">
        <span class="numbers">
          {formatNumber(rank.start_rank)} → <b>{formatNumber(rank.end_rank)}</b>
        </span>
        <Change value={rank.total_improvement} />
      </div>
      <p class="multiple-retail muted">
        {rank.search_rank === null ? 'not in retail search' : `retail rank ${formatNumber(rank.search_rank)}`}
      </p>
      {hasDetails.value && <KeywordProducts term={rank.query} type={type} />}
    </li>
  );
}
