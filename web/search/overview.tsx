// What one sees before the first search: how much data there is, what moves in it, and what was searched before. All of it is
// free of quota.

import type { ApiPath } from '../api/client.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { ChangesAnswer, Frequency, HistoryAnswer, RankChange, StatsAnswer } from '../api/wire.ts';
import { addressOf, marketplaceParams } from '../app/location.ts';
import { Change } from '../parts/change.tsx';
import { formatNumber, formatPeriod, formatPeriodShort, formatShort } from '../parts/format.ts';
import { Skeleton } from '../parts/notices.tsx';
import { usePeriods } from '../parts/periods.ts';
import { listDistinctSearches, PastSearchName } from './past-search.tsx';
import { addressOfKeyword } from './result-grid.tsx';

const MOVERS = 8;
/** Far down the list everything moves by thousands; near the top a move means something. */
const MOVER_THRESHOLD = 100;

export function Overview({ type }: { readonly type: Frequency }) {
  return (
    <div class="overview">
      <DataLine type={type} />
      <div class="overview-columns">
        <Movers title="Climbing" direction="positive" type={type} />
        <Movers title="Falling" direction="negative" type={type} />
        <RecentSearches />
      </div>
    </div>
  );
}

function DataLine({ type }: { readonly type: Frequency }) {
  const { answer } = useAnswer<StatsAnswer>('/v1/search/stats');
  const periods = usePeriods(type);
  const newest = periods.at(-1);
  if (!answer || !newest) return <p class="data-line"> </p>;
  return (
    <p class="data-line muted">
      <b>{formatNumber(newest.keywords)}</b> keywords in {formatPeriod(newest.period, type)} · <b>{periods.length}</b>{' '}
      {type === 'monthly' ? 'months' : 'weeks'} · <b>{formatShort(Number(answer.stats.totalDataPoints))}</b> ranks in
      all ·{' '}
      <a class="quiet-link" href={addressOf('/periods')} data-view>
        all periods
      </a>
    </p>
  );
}

interface MoversProps {
  readonly title: string;
  readonly direction: 'positive' | 'negative';
  readonly type: Frequency;
}

function Movers({ title, direction, type }: MoversProps) {
  const params = new URLSearchParams({
    type: type === 'monthly' ? 'M' : 'W',
    direction,
    threshold: String(MOVER_THRESHOLD),
    order_by: direction === 'positive' ? 'current_rank' : 'previous_rank',
    order_direction: 'ASC',
    limit: String(MOVERS),
    ...marketplaceParams(),
  });
  const { answer, failure } = useAnswer<ChangesAnswer>(`/v1/trends/change-by?${params}` as ApiPath);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{title}</h2>
        {answer?.periods.previous && (
          <span class="muted panel-remark">since {formatPeriodShort(answer.periods.previous, type)}</span>
        )}
        <a class="quiet-link" href={addressOf('/trends', { direction, type: type === 'weekly' ? type : '' })} data-view>
          All
        </a>
      </header>
      {failure && <p class="muted">{failure.message}</p>}
      {!answer && !failure && <Skeleton rows={MOVERS} height={30} />}
      {answer?.data.length === 0 && (
        <p class="muted">
          {answer.periods.previous
            ? `No keyword moved by more than ${MOVER_THRESHOLD} ranks.`
            : `Moves need a second ${type === 'monthly' ? 'month' : 'week'}.`}
        </p>
      )}
      <ul class="mini-list">
        {answer?.data.map((change) => (
          <MoverRow key={change.query} change={change} type={type} />
        ))}
      </ul>
    </section>
  );
}

function MoverRow({ change, type }: { readonly change: RankChange; readonly type: Frequency }) {
  return (
    <li>
      <a href={addressOfKeyword(change.query, { type })} data-view title={change.query}>
        {change.query}
      </a>
      <span class="numbers">{formatNumber(change.current_rank)}</span>
      <Change value={change.change} />
    </li>
  );
}

function RecentSearches() {
  const { answer } = useAnswer<HistoryAnswer>('/v1/search/history?limit=40');
  const entries = listDistinctSearches(answer?.data ?? []).slice(0, MOVERS);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Recent searches</h2>
        <a class="quiet-link" href={addressOf('/account')} data-view>
          All
        </a>
      </header>
      {answer && entries.length === 0 && (
        <p class="muted">
          What you search for is listed here.
          <span class="key-hint-line">
            {' '}
            Press <kbd>/</kbd> to begin.
          </span>
        </p>
      )}
      <ul class="mini-list">
        {entries.map(({ entry, search }) => (
          <li key={entry.id}>
            <PastSearchName search={search} />
            <span class="numbers muted">{entry.result_count === null ? '–' : formatNumber(entry.result_count)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
