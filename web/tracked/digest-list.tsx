import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { Digest, DigestRow } from '../api/wire.ts';
import { Change } from '../parts/change.tsx';
import { formatAge, formatNumber, formatPeriod, formatPeriodShort } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { MissingNotice, Skeleton } from '../parts/notices.tsx';
import { comparePeriodKeys, usePeriods, usePeriodsAnswer } from '../parts/periods.ts';
import { showToast } from '../parts/toast.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { digestCount, digests, digestsFailure, loadDigests, loadOlderDigests, unreadCount } from './digests.ts';
import { DigestProducts } from './product-list.tsx';
import { explain } from './tracked-terms.ts';

/** As many keywords as are listed before the reader asks for all; alerts always are. */
const FIRST_ROWS = 6;

export function DigestList() {
  const failure = digestsFailure.value;
  const list = digests.value;
  return (
    <section class="panel digests" aria-label="Digests">
      <header class="panel-head">
        <h2>
          Digests
          {unreadCount.value > 0 && <span class="badge">{unreadCount.value} unread</span>}
        </h2>
        <button type="button" class="button is-small" disabled={unreadCount.value === 0} onClick={readAll}>
          Mark all read
        </button>
      </header>
      {failure &&
        (failure.status === 404 ? <MissingNotice what="Digests are" /> : <p class="fault">{failure.message}</p>)}
      {!list && !failure && <Skeleton rows={3} height={60} />}
      {list?.length === 0 && (
        <p class="muted">When a new period is published, a digest of your tracked keywords appears here.</p>
      )}
      {list?.map((digest) => (
        <DigestCard key={digest.id} digest={digest} />
      ))}
      {list && list.length < digestCount.value && (
        <button type="button" class="button is-wide" onClick={loadOlderDigests}>
          Older digests ({formatNumber(digestCount.value - list.length)})
        </button>
      )}
    </section>
  );
}

async function readAll(): Promise<void> {
  try {
    await ask('/v1/tracked-keywords/digests/read-all', { method: 'POST' });
  } catch (error) {
    showToast(explain(asFailure(error)), { isFailure: true });
  }
  await loadDigests();
}

function DigestCard({ digest }: { readonly digest: Digest }) {
  const [isWhole, setWhole] = useState(false);
  const hits = digest.rows.filter((row) => row.priority_hit).length;
  // What calls for attention first, then what moved most.
  const rows = digest.rows.toSorted(
    (a, b) =>
      Number(b.priority_hit) - Number(a.priority_hit) || Math.abs(b.rank_change ?? 0) - Math.abs(a.rank_change ?? 0),
  );
  const previous = usePeriodBefore(digest);
  const shown = isWhole ? rows.length : Math.max(FIRST_ROWS, hits);
  return (
    <article class={digest.is_read ? 'digest' : 'digest is-unread'}>
      <h3>
        {formatPeriod(digest.period, digest.type)}
        {!digest.is_read && <span class="spoken"> (unread)</span>}
        <span class="muted"> · {formatAge(digest.created_at, Date.now())}</span>
      </h3>
      <p class="muted">
        {digest.kind === 'late'
          ? 'Later than usual'
          : `${listCounts({ keyword: rows.length, alert: hits, product: digest.products.length })} · change since ${previous}`}
      </p>
      <ul class="mini-list">
        {rows.slice(0, shown).map((row) => (
          <DigestLine key={row.tracked_keyword_id} row={row} digest={digest} />
        ))}
      </ul>
      {rows.length > shown && (
        <button type="button" class="button is-small" onClick={() => setWhole(true)}>
          Show all {formatNumber(rows.length)} keywords
        </button>
      )}
      <DigestProducts products={digest.products} type={digest.type} />
    </article>
  );
}

/** What a digest compares its period with. */
function usePeriodBefore({ period, type, marketplace }: Digest): string {
  const { answer } = usePeriodsAnswer();
  const periods = usePeriods(type);
  const before = periods.findLast((each) => comparePeriodKeys(each.period, period) < 0);
  // Keywords are tracked in one marketplace, and another may be looked at.
  return before && answer?.marketplace === marketplace
    ? formatPeriodShort(before.period, type)
    : `the ${type === 'monthly' ? 'month' : 'week'} before`;
}

/** Those that there are any of. */
function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, number]) => number > 0)
    .map(([unit, number]) => count(number, unit))
    .join(' · ');
}

function count(number: number, unit: string): string {
  return `${formatNumber(number)} ${unit}${number === 1 ? '' : 's'}`;
}

function DigestLine({ row, digest }: { readonly row: DigestRow; readonly digest: Digest }) {
  return (
    <li>
      <a href={addressOfKeyword(row.search_term, { type: digest.type })} data-view title={row.search_term}>
        {row.priority_hit && <Icon name="bell" />}
        {row.search_term}
      </a>
      <span class="numbers">{row.rank === null ? '–' : formatNumber(row.rank)}</span>
      <Change value={row.rank_change} />
    </li>
  );
}
