import { useAnswer } from '../api/use-answer.ts';
import type { PublishedPeriod, StatsAnswer } from '../api/wire.ts';
import { addressOf, marketplaceParams } from '../app/location.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { formatAge, formatInstant, formatNumber, formatPeriod } from '../parts/format.ts';
import { NoData } from '../parts/no-data.tsx';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { usePeriodsAnswer } from '../parts/periods.ts';
import { PeriodCalendar } from './period-calendar.tsx';

const GROUPS = [
  { source: 'search', type: 'monthly', title: 'Retail search, monthly' },
  { source: 'search', type: 'weekly', title: 'Retail search, weekly' },
  { source: 'social', type: 'monthly', title: 'Social media, monthly' },
  { source: 'social', type: 'weekly', title: 'Social media, weekly' },
] as const;

export function PeriodsView() {
  const { answer, failure, reload } = usePeriodsAnswer();
  const { answer: stats } = useAnswer<StatsAnswer>('/v1/search/stats');
  return (
    <div class="periods-view">
      <div class="view-head">
        <h1>Data</h1>
        {stats && answer?.data.length !== 0 && (
          <span class="muted">
            <b class="numbers">{formatNumber(Number(stats.stats.totalDataPoints))}</b> ranks, as of{' '}
            {formatInstant(stats.stats.computedAt)}
          </span>
        )}
        <div class="view-tools">
          <a class="button" href={addressOf('/imports')} data-view>
            Import reports
          </a>
          <a class="button" href={addressOf('/connections')} data-view>
            Connections
          </a>
          <CopyAs request={{ path: '/v1/periods', params: new URLSearchParams(marketplaceParams()) }} />
        </div>
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!answer && !failure && <Skeleton rows={14} />}
      {answer?.data.length === 0 && <NoData type="monthly" />}
      <PeriodCalendar />
      <div class="period-groups">
        {GROUPS.map(({ source, type, title }) => {
          const periods = answer?.data.filter((each) => each.source === source && each.type === type) ?? [];
          return periods.length === 0 ? null : <PeriodGroup key={title} title={title} periods={periods} />;
        })}
      </div>
    </div>
  );
}

function PeriodGroup({ title, periods }: { readonly title: string; readonly periods: readonly PublishedPeriod[] }) {
  const most = Math.max(...periods.map(({ keywords }) => keywords));
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{title}</h2>
        <span class="muted numbers">{periods.length}</span>
      </header>
      <table class="plain-table period-table">
        <thead>
          <tr>
            <th scope="col">Period</th>
            <th scope="col" class="is-right">
              Keywords
            </th>
            <th scope="col" class="wide-only">
              <span class="spoken">Size</span>
            </th>
            <th scope="col" class="is-right">
              Published
            </th>
          </tr>
        </thead>
        <tbody>
          {periods.map((period) => (
            <PeriodRow key={period.period} period={period} most={most} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function PeriodRow({ period, most }: { readonly period: PublishedPeriod; readonly most: number }) {
  return (
    <tr>
      <th scope="row">
        {formatPeriod(period.period, period.type)}
        {period.revision > 1 && <span class="muted"> · revision {period.revision}</span>}
      </th>
      <td class="is-right">{formatNumber(period.keywords)}</td>
      <td class="wide-only">
        <span class="size-bar" aria-hidden="true">
          <span style={{ width: `${(period.keywords / most) * 100}%` }} />
        </span>
      </td>
      <td class="is-right muted" title={formatInstant(period.published_at)}>
        {formatAge(period.published_at, Date.now())}
      </td>
    </tr>
  );
}
