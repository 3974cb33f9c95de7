import { useState } from 'preact/hooks';
import { useAnswer } from '../api/use-answer.ts';
import type { ChangesAnswer, Frequency, RankChange } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { Change } from '../parts/change.tsx';
import { ComparisonPicker, useComparison } from '../parts/comparison.tsx';
import { formatNumber, formatPercent, formatPeriod, formatPeriodShort } from '../parts/format.ts';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Segmented } from '../parts/segmented.tsx';
import type { TrendColumn } from './trend-column.ts';
import { TrendFilters } from './trend-filters.tsx';
import { TrendList } from './trend-list.tsx';
import { trendParams } from './trend-params.ts';
import { subjectOf, TrendTools } from './trend-tools.tsx';

const DIRECTIONS = [
  { value: '', text: 'Both' },
  { value: 'positive', text: 'Up' },
  { value: 'negative', text: 'Down' },
] as const;
const PATH = '/v1/trends/change-by';
const DEFAULT_ORDER = 'abs_change';
const DEFAULT_THRESHOLD = 1000;
/** Even steps of the slider are even factors of the threshold. */
const THRESHOLDS = [1, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000];

export function Movers({ type }: { readonly type: Frequency }) {
  const { params: given } = place.value;
  const params = trendParams(type, ['direction', 'threshold', 'compare_to', 'order_by', 'order_direction']);
  const { answer, failure, isLoading, reload } = useAnswer<ChangesAnswer>(`${PATH}?${params}`);
  const comparison = useComparison(type);
  const direction = DIRECTIONS.find(({ value }) => value === given.get('direction'))?.value ?? '';
  const sort = {
    order: given.get('order_by') ?? DEFAULT_ORDER,
    isDescending: given.get('order_direction') !== 'ASC',
  };
  return (
    <>
      <div class="trend-bar">
        <Segmented
          label="Direction"
          options={DIRECTIONS}
          value={direction}
          onChange={(value) => changeParams({ direction: value || null, offset: null })}
        />
        <ThresholdSlider />
        <ComparisonPicker comparison={comparison} />
        <TrendFilters />
        <TrendTools path={PATH} params={params} type={type} page={answer} />
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!answer && !failure && <Skeleton rows={14} />}
      {answer && !failure && (
        <>
          <p class="trend-count" role="status">
            <b>{formatNumber(answer.pagination.total_count)}</b> keywords moved
            {answer.periods.previous && (
              <span class="muted">
                {' '}
                from {formatPeriod(answer.periods.previous, type)} to {formatPeriod(answer.periods.current, type)}
              </span>
            )}
          </p>
          <TrendList
            label="Movers"
            className="mover-grid"
            type={type}
            page={answer}
            columns={columnsOf(answer, type)}
            subject={subjectOf(PATH, params)}
            rowHeight={{ wide: 40, narrow: 60 }}
            sort={sort}
            defaultOrder={DEFAULT_ORDER}
            isStale={isLoading}
            emptyTitle={answer.periods.previous ? 'Nothing moved that far.' : `Moves need a second ${unitOf(type)}.`}
          >
            <p>
              {answer.periods.previous
                ? 'Lower the threshold.'
                : `${formatPeriod(answer.periods.current, type)} is the only ${unitOf(type)} so far.`}
            </p>
          </TrendList>
        </>
      )}
    </>
  );
}

function unitOf(type: Frequency): string {
  return type === 'monthly' ? 'month' : 'week';
}

function ThresholdSlider() {
  const given = Number(place.value.params.get('threshold') ?? DEFAULT_THRESHOLD);
  const nearest = THRESHOLDS.findLastIndex((threshold) => threshold <= given);
  // What the thumb shows while it is dragged; the list follows when it is let go.
  const [dragged, setDragged] = useState<number | null>(null);
  const value = dragged === null ? given : (THRESHOLDS[dragged] ?? given);
  return (
    <label class="field threshold">
      <span>
        More than <b class="numbers">{formatNumber(value)}</b> {value === 1 ? 'rank' : 'ranks'}
      </span>
      <input
        type="range"
        min={0}
        max={THRESHOLDS.length - 1}
        value={dragged ?? Math.max(0, nearest)}
        aria-valuetext={`${formatNumber(value)} ranks`}
        onInput={(event) => setDragged(Number(event.currentTarget.value))}
        onChange={(event) => {
          const threshold = THRESHOLDS[Number(event.currentTarget.value)] ?? DEFAULT_THRESHOLD;
          setDragged(null);
          changeParams({ threshold: threshold === DEFAULT_THRESHOLD ? null : String(threshold), offset: null });
        }}
      />
    </label>
  );
}

function columnsOf(answer: ChangesAnswer, type: Frequency): readonly TrendColumn<RankChange>[] {
  const most = Math.max(1, ...answer.data.map(({ abs_change: size }) => size));
  return [
    {
      id: 'previous',
      track: '100px',
      title: answer.periods.previous ? formatPeriodShort(answer.periods.previous, type) : 'Before',
      align: 'right',
      order: 'previous_rank',
      cell: (row) => formatNumber(row.previous_rank),
    },
    {
      id: 'current',
      track: '100px',
      title: answer.periods.current ? formatPeriodShort(answer.periods.current, type) : 'Now',
      align: 'right',
      order: 'current_rank',
      cell: (row) => <b>{formatNumber(row.current_rank)}</b>,
    },
    {
      id: 'bar',
      track: 'minmax(80px, 1fr)',
      title: <span class="spoken">Size of the move</span>,
      cell: (row) => <MoveBar share={row.change / most} />,
    },
    {
      id: 'change',
      track: '96px',
      title: 'Change',
      align: 'right',
      order: 'abs_change',
      cell: (row) => <Change value={row.change} />,
    },
    {
      id: 'percent',
      track: '76px',
      title: 'Percent',
      align: 'right',
      order: 'change_percentage',
      cell: (row) => formatPercent(row.change_percentage),
    },
  ];
}

/** From the middle: up to the right, down to the left. */
function MoveBar({ share }: { readonly share: number }) {
  const width = Math.max(0.5, Math.abs(share) * 50);
  return (
    <svg class="move-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class={share > 0 ? 'is-up' : 'is-down'} x={share > 0 ? 50 : 50 - width} y="0" width={width} height="8" />
      <rect class="move-middle" x="49.7" y="0" width="0.6" height="8" />
    </svg>
  );
}
