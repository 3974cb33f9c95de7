import { ask, forgetAnswers } from '../api/client.ts';
import { asFailure, useAnswer } from '../api/use-answer.ts';
import type { Account, SessionsAnswer } from '../api/wire.ts';
import { leaveSession } from '../app/session.ts';
import { formatAge } from '../parts/format.ts';
import { Skeleton } from '../parts/notices.tsx';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import { PasswordForm } from './password-form.tsx';

/** Where the person is signed in; a key has none of it. */
export function SessionsPanel({ account }: { readonly account: Account }) {
  const { answer, failure, reload } = useAnswer<SessionsAnswer>(account.session_id === null ? null : '/v1/sessions');
  const end = async (path: '/v1/sessions' | `/v1/sessions/${string}`, isCurrent = false) => {
    try {
      await ask(path, { method: 'DELETE' });
      if (isCurrent) return leaveSession();
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    forgetAnswers('/v1/sessions');
    reload();
  };
  if (account.session_id === null) return null;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Your sessions</h2>
        <button
          type="button"
          class="button is-small"
          disabled={(answer?.data.length ?? 0) < 2}
          onClick={() => end('/v1/sessions')}
        >
          End all others
        </button>
      </header>
      {failure && <p class="fault">{failure.message}</p>}
      {!answer && !failure && <Skeleton rows={2} height={36} />}
      <ul class="team-rows" aria-label="Sessions">
        {answer?.data.map((session) => (
          <li key={session.id}>
            <span class="team-who">
              <b>{browserOf(session.user_agent)}</b>
              {session.is_current && <span class="plan-badge">this one</span>}
              <small class="muted">
                {session.address} · by {session.method} · used {formatAge(session.last_seen_at, Date.now())} ·{' '}
                {session.organization}
              </small>
            </span>
            <button
              type="button"
              class="button is-small"
              aria-label={`End the session of ${browserOf(session.user_agent)} at ${session.address}`}
              onClick={() => end(`/v1/sessions/${session.id}`, session.is_current)}
            >
              End
            </button>
          </li>
        ))}
      </ul>
      <PasswordForm hasPassword={account.user.has_password} onChanged={reload} />
    </section>
  );
}

/** What people call it; the whole text is long and says less. */
function browserOf(userAgent: string): string {
  const browser = [
    ['Edg/', 'Edge'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ].find(([mark = '']) => userAgent.includes(mark))?.[1];
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'].find((each) => userAgent.includes(each));
  if (browser === undefined) return userAgent.slice(0, 40) || 'Unknown browser';
  return system === undefined ? browser : `${browser} on ${system.replace('Mac OS X', 'macOS')}`;
}
