// Terms that peak around the same month every year, by default those whose next peak is near.
import { useAnswer } from '../api/use-answer.ts';
import type { Frequency, SeasonalAnswer, SeasonalTerm } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { formatNumber, formatPeriod } from '../parts/format.ts';
import { FailureNotice, MissingNotice, Skeleton } from '../parts/notices.tsx';
import { usePeriods } from '../parts/periods.ts';
import type { TrendColumn } from './trend-column.ts';
import { TrendFilters } from './trend-filters.tsx';
import { TrendList } from './trend-list.tsx';
import { trendParams } from './trend-params.ts';
import { subjectOf, TrendTools } from './trend-tools.tsx';

const PATH = '/v1/trends/seasonal';
const DEFAULT_ORDER = 'strength';
/** What a seller has time to prepare for. */
const DEFAULT_WEEKS = '8';
const ANY = 'any';
const WEEKS = ['4', '8', '12', '26', ANY] as const;
const MONTHS = Array.from({ length: 12 }, (_, i) =>
  new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, i)),
);

export function Seasonal({ type }: { readonly type: Frequency }) {
  const given = place.value.params;
  const params = trendParams(type, ['order_by', 'order_direction', 'peak_month', 'within_weeks']);
  if (!params.has('within_weeks')) params.set('within_weeks', DEFAULT_WEEKS);
  const weeks = params.get('within_weeks') ?? DEFAULT_WEEKS;
  if (weeks === ANY || params.has('peak_month')) params.delete('within_weeks');
  const { answer, failure, isLoading, reload } = useAnswer<SeasonalAnswer>(`${PATH}?${params}`);
  const newest = usePeriods(type).at(-1)?.period;
  const order = given.get('order_by') ?? DEFAULT_ORDER;
  const isDescending = given.get('order_direction') !== 'ASC';
  if (failure?.status === 404) return <MissingNotice what="The list of seasonal terms is" />;
  return (
    <>
      <div class="trend-bar">
        <PeakFields weeks={weeks} />
        <TrendFilters />
        <TrendTools path={PATH} params={params} type={type} page={answer} />
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!answer && !failure && <Skeleton rows={14} />}
      {answer && !failure && (
        <>
          <p class="trend-count" role="status">
            <b>{formatNumber(answer.pagination.total_count)}</b> keywords peak {describePeaks(params)}
            {newest && <span class="muted"> counted from the end of {formatPeriod(newest, type)}</span>}
          </p>
          <TrendList
            label="Seasonal terms"
            className="season-grid"
            type={type}
            page={answer}
            columns={COLUMNS}
            subject={subjectOf(PATH, params)}
            rowHeight={{ wide: 40, narrow: 60 }}
            sort={{ order, isDescending }}
            defaultOrder={DEFAULT_ORDER}
            isStale={isLoading}
            emptyTitle={params.has('within_weeks') ? 'Nothing is known to peak so soon.' : 'No seasons are known.'}
          >
            <p>
              A season needs two full years of reports in which a keyword peaks around the same month.
              {params.has('within_weeks') && ' Look at more weeks, or at any month.'}
            </p>
          </TrendList>
        </>
      )}
    </>
  );
}

function describePeaks(params: URLSearchParams): string {
  const month = MONTHS[Number(params.get('peak_month')) - 1];
  if (month !== undefined) return `in ${month} every year`;
  const weeks = params.get('within_weeks');
  return weeks === null ? 'around the same month every year' : `within ${weeks} weeks`;
}

/** Soon, or in one month: to ask for both would leave nothing most of the time. */
function PeakFields({ weeks }: { readonly weeks: string }) {
  const month = place.value.params.get('peak_month') ?? '';
  return (
    <>
      <label class="field">
        <span>Next peak within</span>
        <select
          value={month === '' ? weeks : ANY}
          onChange={({ currentTarget: { value } }) =>
            changeParams({ within_weeks: value === DEFAULT_WEEKS ? null : value, peak_month: null, offset: null })
          }
        >
          {[...new Set<string>([...WEEKS, weeks])].map((each) => (
            <option key={each} value={each}>
              {each === ANY ? 'any time' : `${each} weeks`}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Peak in</span>
        <select
          value={month}
          onChange={({ currentTarget: { value } }) =>
            changeParams({ peak_month: value || null, within_weeks: null, offset: null })
          }
        >
          <option value="">any month</option>
          {MONTHS.map((name, i) => (
            <option key={name} value={String(i + 1)}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

const COLUMNS: readonly TrendColumn<SeasonalTerm>[] = [
  {
    id: 'peak',
    title: 'Peak',
    track: '100px',
    cell: (row) => MONTHS[row.peak_month - 1],
  },
  {
    id: 'weeks',
    title: 'Begins in',
    track: '96px',
    align: 'right',
    order: 'weeks_until_peak',
    cell: ({ weeks_until_peak: weeks }) => (weeks === 0 ? 'now' : `${weeks} ${weeks === 1 ? 'week' : 'weeks'}`),
  },
  {
    id: 'strength',
    title: <abbr title="How many times better its rank is in the peak month than usually">Strength</abbr>,
    track: '92px',
    align: 'right',
    order: 'strength',
    cell: (row) => <b>×{row.strength.toFixed(1)}</b>,
  },
  {
    id: 'years',
    title: 'Years',
    track: '60px',
    align: 'right',
    cell: (row) => formatNumber(row.full_years),
  },
  {
    id: 'current',
    title: 'Rank now',
    track: '100px',
    align: 'right',
    order: 'current_rank',
    cell: (row) => formatNumber(row.current_rank),
  },
];
