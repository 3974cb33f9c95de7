import { useState } from 'preact/hooks';
import { useAnswer } from '../api/use-answer.ts';
import type { ConnectionRow, Download, DownloadsAnswer } from '../api/wire.ts';
import { formatInstant, formatPeriod } from '../parts/format.ts';
import { Skeleton } from '../parts/notices.tsx';
import { RetryPeriod } from './retry-period.tsx';

/** What is not there yet; of what is there the calendar tells. */
export function DownloadTable({ connection }: { readonly connection: ConnectionRow }) {
  const { answer, failure, reload } = useAnswer<DownloadsAnswer>(`/v1/connections/${connection.id}/downloads`);
  const [showsAll, setShowsAll] = useState(false);
  if (failure) return <p class="fault">{failure.message}</p>;
  if (!answer) return <Skeleton rows={3} height={36} />;
  const shown = showsAll ? answer.data : answer.data.filter(({ state }) => state !== 'imported');
  return (
    <div class="connection-downloads">
      <label class="check">
        <input type="checkbox" checked={showsAll} onChange={(event) => setShowsAll(event.currentTarget.checked)} />
        Those that are imported too
      </label>
      {shown.length === 0 && <p class="muted">Nothing is on its way.</p>}
      <ul class="team-rows" aria-label={`Downloads of ${connection.name}`}>
        {shown.map((download) => (
          <DownloadRow
            key={`${download.marketplace} ${download.type} ${download.period}`}
            download={download}
            connectionId={connection.id}
            onRetried={reload}
          />
        ))}
      </ul>
    </div>
  );
}

interface DownloadRowProps {
  readonly download: Download;
  readonly connectionId: string;
  readonly onRetried: () => void;
}

function DownloadRow({ download, connectionId, onRetried }: DownloadRowProps) {
  const { marketplace, type, period, state, message, is_under_way, next_at, imported_at } = download;
  const when = is_under_way
    ? 'now'
    : imported_at !== null && state === 'imported'
      ? formatInstant(imported_at)
      : next_at !== null && `next on ${formatInstant(next_at)}`;
  return (
    <li>
      <span class="team-who">
        <b>
          {marketplace}, {formatPeriod(period, type)}
        </b>
        <span class={state === 'failed' ? 'fault' : 'muted'}>{state}</span>
        <small class="muted">
          {message}
          {when && ` · ${when}`}
        </small>
      </span>
      {state !== 'imported' && !is_under_way && (
        <RetryPeriod connectionId={connectionId} entry={download} onRetried={onRetried} />
      )}
    </li>
  );
}
