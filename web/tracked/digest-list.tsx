import { ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { Digest, DigestRow } from '../api/wire.ts';
import { Change } from '../parts/change.tsx';
import { formatAge, formatNumber, formatPeriod } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { MissingNotice, Skeleton } from '../parts/notices.tsx';
import { showToast } from '../parts/toast.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { digests, digestsFailure, loadDigests, unreadCount } from './digests.ts';
import { explain } from './tracked-terms.ts';

const MAX_ROWS = 6;

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
  const hits = digest.rows.filter((row) => row.priority_hit).length;
  // What calls for attention first, then what moved most.
  const rows = digest.rows.toSorted(
    (a, b) =>
      Number(b.priority_hit) - Number(a.priority_hit) || Math.abs(b.rank_change ?? 0) - Math.abs(a.rank_change ?? 0),
  );
  return (
    <article class={digest.is_read ? 'digest' : 'digest is-unread'}>
      <h3>
        {formatPeriod(digest.period, digest.type)}
        {!digest.is_read && <span class="spoken"> (unread)</span>}
        <span class="muted"> · {formatAge(digest.created_at, Date.now())}</span>
      </h3>
      <p class="muted">
        {formatNumber(digest.rows.length)} keywords{hits > 0 && ` · ${formatNumber(hits)} alerts`}
      </p>
      <ul class="mini-list">
        {rows.slice(0, MAX_ROWS).map((row) => (
          <DigestLine key={row.search_term} row={row} digest={digest} />
        ))}
      </ul>
    </article>
  );
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
