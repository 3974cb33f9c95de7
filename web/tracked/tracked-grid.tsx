import { signal } from '@preact/signals';
import { ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { TrackedKeyword } from '../api/wire.ts';
import { navigate } from '../app/location.ts';
import { Change } from '../parts/change.tsx';
import { ChangeTitle, type Comparison, changeOf } from '../parts/comparison.tsx';
import { type Column, DataGrid } from '../parts/data-grid.tsx';
import { formatAverage } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { LatestRank } from '../parts/latest-rank.tsx';
import { Popover } from '../parts/popover.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { showToast } from '../parts/toast.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { KeywordProducts } from '../trends/keyword-details.tsx';
import { RuleForm } from './priority-rule.tsx';
import { sortBy, sortedRows, sortOf } from './row-order.ts';
import { describeRule } from './rule-words.ts';
import { Star } from './star.tsx';
import { explain, loadTracked } from './tracked-terms.ts';

/** Whether the top products are shown, which cost searches. */
export const hasProducts = signal(false);

export interface TrackedGridProps {
  readonly label: string;
  readonly keywords: readonly TrackedKeyword[];
  readonly comparison: Comparison | undefined;
}

export function TrackedGrid({ label, keywords, comparison }: TrackedGridProps) {
  const sort = sortOf('');
  return (
    <DataGrid
      label={label}
      className={hasProducts.value ? 'tracked-grid has-products' : 'tracked-grid'}
      columns={columnsOf(comparison)}
      rows={sortedRows(keywords, sort, orderOf(sort.order, comparison))}
      keyOf={(row) => row.id}
      rowHeight={{ wide: 48, narrow: 100 }}
      sort={sort}
      onSort={(order) => sortBy(order, sort)}
      onOpen={(row) => navigate(addressOfKeyword(row.search_term.original_term, { type: 'monthly' }))}
    />
  );
}

/** What rows are sorted by, by column. */
function orderOf(order: string, comparison: Comparison | undefined) {
  const orders: Readonly<Record<string, (row: TrackedKeyword) => string | number | null>> = {
    term: ({ search_term: term }) => term.original_term.toLowerCase(),
    latest: ({ snapshot }) => snapshot.latest_rank,
    change: (row) => changeWithin(row, comparison) ?? null,
    best: ({ snapshot }) => snapshot.best_rank,
    average: ({ snapshot }) => snapshot.avg_rank,
    rule: (row) => (row.priority_enabled ? describeRule(row.priority_rule) : null),
  };
  return orders[order];
}

function changeWithin({ snapshot: { history } }: TrackedKeyword, comparison: Comparison | undefined) {
  return changeOf(Object.fromEntries(history.map(({ period, rank }) => [period, rank])), comparison);
}

const PRODUCTS: Column<TrackedKeyword> = {
  id: 'products',
  title: 'Top products',
  cell: ({ search_term: term }) => <KeywordProducts term={term.original_term} type="monthly" />,
};

function columnsOf(comparison: Comparison | undefined): readonly Column<TrackedKeyword>[] {
  return [
    {
      id: 'star',
      title: <span class="spoken">Track</span>,
      cell: ({ search_term: term }) => <Star term={term.original_term} />,
    },
    { id: 'term', order: 'term', title: 'Keyword', cell: (row) => <TermCell row={row} /> },
    {
      id: 'trend',
      title: 'History',
      cell: ({ snapshot }) => <Sparkline history={snapshot.history} type="monthly" />,
    },
    ...(hasProducts.value ? [PRODUCTS] : []),
    {
      id: 'latest',
      order: 'latest',
      title: 'Latest',
      align: 'right',
      cell: ({ snapshot: { latest_rank: rank, latest_period: period } }) =>
        rank === null ? (
          <Rank value={null} />
        ) : (
          <LatestRank rank={rank} period={period} type="monthly" newest={comparison?.to} />
        ),
    },
    {
      id: 'change',
      order: 'change',
      title: <ChangeTitle comparison={comparison} />,
      align: 'right',
      cell: (row) => <Change value={changeWithin(row, comparison)} />,
    },
    {
      id: 'best',
      title: 'Best',
      order: 'best',
      align: 'right',
      cell: ({ snapshot }) => <Rank value={snapshot.best_rank} />,
    },
    {
      id: 'average',
      title: 'Average',
      order: 'average',
      align: 'right',
      cell: ({ snapshot }) => <Rank value={snapshot.avg_rank} />,
    },
    { id: 'rule', title: 'Alert', order: 'rule', cell: (row) => <RuleCell row={row} /> },
    { id: 'actions', title: <span class="spoken">Actions</span>, cell: (row) => <Actions row={row} /> },
  ];
}

function Rank({ value }: { readonly value: number | null }) {
  return value === null ? <span class="muted">–</span> : <span>{formatAverage(value)}</span>;
}

function TermCell({ row }: { readonly row: TrackedKeyword }) {
  const term = row.search_term.original_term;
  const remarks = [
    row.is_active ? '' : 'paused',
    row.snapshot.latest_rank === null ? 'not in the data yet' : '',
    row.notes,
  ].filter((remark) => remark !== '');
  return (
    <span class="term-cell">
      <a href={addressOfKeyword(term, { type: 'monthly' })} data-view tabIndex={-1} title={term}>
        {term}
      </a>
      {remarks.length > 0 && <small class="muted">{remarks.join(' · ')}</small>}
    </span>
  );
}

function RuleCell({ row }: { readonly row: TrackedKeyword }) {
  return (
    <Popover
      text={
        <>
          {row.priority_enabled ? describeRule(row.priority_rule) : 'No alert'}
          <span class="spoken"> for {row.search_term.original_term}</span>
        </>
      }
      icon="bell"
      title={`Alert for ${row.search_term.original_term}`}
      className={row.priority_enabled ? 'link rule is-on' : 'link rule'}
      align="right"
    >
      {(close) => <RuleForm keyword={row} onDone={close} />}
    </Popover>
  );
}

function Actions({ row }: { readonly row: TrackedKeyword }) {
  const term = row.search_term.original_term;
  return (
    <button
      type="button"
      class="button is-icon is-bare"
      aria-label={row.is_active ? `Pause ${term}` : `Resume ${term}`}
      title={row.is_active ? 'Pause: no digests, no alerts' : 'Resume'}
      onClick={() => change(row, { is_active: !row.is_active })}
    >
      <Icon name={row.is_active ? 'pause' : 'play'} />
    </button>
  );
}

async function change({ id }: TrackedKeyword, body: Readonly<Record<string, unknown>>): Promise<void> {
  try {
    await ask(`/v1/tracked-keywords/${id}`, { method: 'PATCH', body });
  } catch (error) {
    showToast(explain(asFailure(error)), { isFailure: true });
  }
  await loadTracked();
}
