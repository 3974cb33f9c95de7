import { useState } from 'preact/hooks';
import { useAnswer } from '../api/use-answer.ts';
import type { AuditLogAnswer } from '../api/wire.ts';
import { formatAge, formatInstant } from '../parts/format.ts';
import { Skeleton } from '../parts/notices.tsx';
import { OlderAndNewer } from '../parts/older-and-newer.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import { describeDetails, nameAct } from './audit-words.ts';

const SHOWN = 25;

export function AuditPanel() {
  const [offset, setOffset] = useState(0);
  const { answer, failure } = useAnswer<AuditLogAnswer>(`/v1/audit-log?limit=${SHOWN}&offset=${offset}`);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Audit log</h2>
        {answer && <span class="muted numbers">{answer.pagination.total_count}</span>}
      </header>
      {failure && <p class="fault">{explain(failure)}</p>}
      {!answer && !failure && <Skeleton rows={4} height={28} />}
      {answer && (
        <ul class="team-rows" aria-label="Audit log">
          {answer.data.map((entry) => (
            <li key={entry.id}>
              <span class="team-who">
                <b title={entry.action}>{nameAct(entry)}</b> <span>by {entry.actor}</span>
                <small class="muted">{describeDetails(entry)}</small>
              </span>
              {entry.address !== null && <span class="muted">{entry.address}</span>}
              <time class="muted" dateTime={entry.occurred_at} title={formatInstant(entry.occurred_at)}>
                {formatAge(entry.occurred_at, Date.now())}
              </time>
            </li>
          ))}
        </ul>
      )}
      {answer && <OlderAndNewer pagination={answer.pagination} pageSize={SHOWN} onOffset={setOffset} />}
    </section>
  );
}
