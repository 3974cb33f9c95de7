import { useAnswer } from '../api/use-answer.ts';
import type { ConnectionsAnswer } from '../api/wire.ts';
import { addressOf } from '../app/location.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { ConnectionCard } from './connection-card.tsx';
import { ConnectionForm } from './connection-form.tsx';
import '../styles/connections.css';

/** Accounts at Amazon from which reports are fetched by themselves: for owners and admins those of theirs, for operators all. */
export function ConnectionsView() {
  const { answer, failure, reload } = useAnswer<ConnectionsAnswer>('/v1/connections');
  return (
    <div class="connections-view">
      <div class="view-head">
        <h1>
          <a href={addressOf('/periods')} data-view>
            Data
          </a>{' '}
          / Connections
        </h1>
        <div class="view-tools">
          {answer && (
            <button type="button" class="button" onClick={reload}>
              Look again
            </button>
          )}
          <CopyAs request={{ path: '/v1/connections' }} />
        </div>
      </div>
      {failure?.status === 403 ? <NotForYou /> : failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!answer && !failure && <Skeleton rows={3} height={90} />}
      {answer && (
        <>
          {answer.data.length === 0 && (
            <p class="muted">
              No account is connected yet. With one, the reports of every week and month come by themselves.
            </p>
          )}
          {answer.data.map((connection) => (
            <ConnectionCard key={connection.id} connection={connection} onChange={reload} />
          ))}
          <ConnectionForm taken={answer.data.flatMap(({ marketplaces }) => marketplaces)} onAdded={reload} />
        </>
      )}
    </div>
  );
}

function NotForYou() {
  return (
    <EmptyNotice title="Connections are for owners, admins and operators.">
      <p>What has come, and what is late, stands under Data for everybody.</p>
    </EmptyNotice>
  );
}
