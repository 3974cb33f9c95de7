import { ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { TrackedKeyword } from '../api/wire.ts';
import { addressOf, navigate } from '../app/location.ts';
import { Change } from '../parts/change.tsx';
import { CopyAs } from '../parts/copy-as.tsx';
import { type Column, DataGrid } from '../parts/data-grid.tsx';
import { formatAverage, formatNumber } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Popover } from '../parts/popover.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { showToast } from '../parts/toast.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { BulkAdd } from './bulk-add.tsx';
import { DigestList } from './digest-list.tsx';
import { RuleForm, RuleText } from './priority-rule.tsx';
import { Star } from './star.tsx';
import { explain, loadTracked, tracked, trackedFailure } from './tracked-terms.ts';

export function TrackedView() {
  const keywords = tracked.value;
  const failure = trackedFailure.value;
  return (
    <div class="tracked-view">
      <div class="view-head">
        <h1>Tracked keywords</h1>
        {keywords && <span class="muted numbers">{formatNumber(keywords.length)}</span>}
        <div class="view-tools">
          <Popover text="Add keywords" icon="plus" title="Add keywords" className="button is-primary" align="right">
            {(close) => <BulkAdd onDone={close} />}
          </Popover>
          <CopyAs request={{ path: '/v1/tracked-keywords' }} />
        </div>
      </div>
      <div class="tracked-columns">
        <section aria-label="Tracked keywords">
          {failure && <FailureNotice failure={failure} onRetry={loadTracked} />}
          {!keywords && !failure && <Skeleton rows={8} height={48} />}
          {keywords?.length === 0 && <NothingTracked />}
          {keywords && keywords.length > 0 && <TrackedGrid keywords={keywords} />}
        </section>
        <DigestList />
      </div>
    </div>
  );
}

function NothingTracked() {
  return (
    <EmptyNotice title="Nothing is tracked yet.">
      <p>
        Press the star beside a keyword in a{' '}
        <a href={addressOf('/')} data-view>
          search
        </a>
        , or paste a list with <b>Add keywords</b>. With every new period you get a digest of how they moved.
      </p>
    </EmptyNotice>
  );
}

function TrackedGrid({ keywords }: { readonly keywords: readonly TrackedKeyword[] }) {
  return (
    <DataGrid
      label="Tracked keywords"
      className="tracked-grid"
      columns={COLUMNS}
      rows={keywords}
      keyOf={(row) => row.id}
      rowHeight={{ wide: 48, narrow: 92 }}
      onOpen={(row) => navigate(addressOfKeyword(row.search_term.original_term, { type: 'monthly' }))}
    />
  );
}

const COLUMNS: readonly Column<TrackedKeyword>[] = [
  {
    id: 'star',
    title: <span class="spoken">Track</span>,
    cell: ({ search_term: term }) => <Star term={term.original_term} />,
  },
  { id: 'term', title: 'Keyword', cell: (row) => <TermCell row={row} /> },
  {
    id: 'trend',
    title: 'History',
    cell: ({ snapshot }) => <Sparkline ranks={snapshot.history.map(({ rank }) => rank)} />,
  },
  {
    id: 'latest',
    title: 'Latest',
    align: 'right',
    cell: ({ snapshot }) => <Rank value={snapshot.latest_rank} isBold />,
  },
  { id: 'change', title: 'Change', align: 'right', cell: ({ snapshot }) => <Change value={snapshot.rank_change} /> },
  { id: 'best', title: 'Best', align: 'right', cell: ({ snapshot }) => <Rank value={snapshot.best_rank} /> },
  { id: 'average', title: 'Average', align: 'right', cell: ({ snapshot }) => <Rank value={snapshot.avg_rank} /> },
  { id: 'rule', title: 'Alert', cell: (row) => <RuleCell row={row} /> },
  { id: 'actions', title: <span class="spoken">Actions</span>, cell: (row) => <Actions row={row} /> },
];

function Rank({ value, isBold = false }: { readonly value: number | null; readonly isBold?: boolean }) {
  if (value === null) return <span class="muted">–</span>;
  return isBold ? <b>{formatNumber(value)}</b> : <span>{formatAverage(value)}</span>;
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
      text={row.priority_enabled ? <RuleText rule={row.priority_rule} /> : 'No alert'}
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
