import { useState } from 'preact/hooks';
import { ask, rateLimit } from '../api/client.ts';
import { asFailure, useAnswer } from '../api/use-answer.ts';
import type { AccountAnswer, RateLimit, UsageAnswer } from '../api/wire.ts';
import { apiKey, isKeptOnDevice, isSession, leaveSession, signIn, signOut } from '../app/session.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { formatClock, formatCountdown, formatMonth, formatNumber } from '../parts/format.ts';
import { FailureNotice, Skeleton, useClock } from '../parts/notices.tsx';
import { Ring } from '../parts/ring.tsx';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import { AgentList } from './agent-list.tsx';
import { HistoryList } from './history-list.tsx';
import { NotificationPanel } from './notification-panel.tsx';
import { OrganizationSwitch } from './organization-switch.tsx';
import { SessionsPanel } from './sessions-panel.tsx';
import { UsageDays } from './usage-days.tsx';
import { WebhookList } from './webhook-list.tsx';

const METERS = [
  { name: 'search', text: 'Keyword searches' },
  { name: 'asin', text: 'ASIN searches' },
  { name: 'exports', text: 'Exports' },
  { name: 'alerts', text: 'Alerts' },
] as const;

export function AccountView() {
  const { answer, failure, reload } = useAnswer<UsageAnswer>('/v1/usage');
  const { answer: whoAnswer } = useAnswer<AccountAnswer>('/v1/account');
  const account = whoAnswer?.data;
  return (
    <div class="account-view">
      <div class="view-head">
        <h1>Account</h1>
        {answer && <span class="plan-badge">{answer.data.plan} plan</span>}
        {answer && (
          <span class="muted account-owner">
            {answer.data.user} of {answer.data.organization}
          </span>
        )}
        {account && (
          <span class="muted account-role">
            {account.organization.role}
            {account.user.is_operator && ', operator'}
          </span>
        )}
        {account && <OrganizationSwitch account={account} />}
        <div class="view-tools">
          <a class="button" href="/docs">
            API reference
          </a>
          <CopyAs request={{ path: '/v1/usage' }} />
          <RememberButton />
          <button type="button" class="button" onClick={leave}>
            Sign out
          </button>
        </div>
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!answer && !failure && <Skeleton rows={3} height={120} />}
      {answer && (
        <div class="account-columns">
          <QuotaPanel limit={rateLimit.value ?? answer.data.rate_limit} />
          <UsagePanel usage={answer.data} />
        </div>
      )}
      <UsageDays />
      <NotificationPanel />
      {account && <SessionsPanel account={account} />}
      <div class="account-columns is-even">
        <HistoryList />
        {(account?.actions.includes('webhooks') ?? true) && <WebhookList />}
        <AgentList />
      </div>
    </div>
  );
}

async function leave(): Promise<void> {
  if (!isSession(apiKey.value)) return signOut();
  try {
    await ask('/v1/sign-out', { method: 'POST' });
    leaveSession();
  } catch (error) {
    showToast(explain(asFailure(error)), { isFailure: true });
  }
}

/** For a key that is in this tab only. */
function RememberButton() {
  const [isKept, setKept] = useState(isKeptOnDevice(apiKey.value ?? ''));
  if (isKept || apiKey.value === null || isSession(apiKey.value)) return null;
  const keep = () => {
    if (apiKey.value !== null) signIn(apiKey.value, { isKept: true });
    setKept(true);
  };
  return (
    <button type="button" class="button" onClick={keep}>
      Remember on this device
    </button>
  );
}

function QuotaPanel({ limit }: { readonly limit: RateLimit }) {
  const nowMs = useClock();
  const resetMs = limit.reset * 1000;
  return (
    <section class="panel quota-panel">
      <header class="panel-head">
        <h2>Searches in this hour</h2>
      </header>
      <div class="quota-body">
        <div class="quota-ring">
          <Ring share={limit.remaining / limit.limit} size={148} thickness={12} />
          <div class="quota-number">
            <b class="numbers">{formatNumber(limit.remaining)}</b>
            <span class="muted">of {formatNumber(limit.limit)} left</span>
          </div>
        </div>
        <dl class="facts">
          <dt>Used in the last hour</dt>
          <dd class="numbers">{formatNumber(limit.used)}</dd>
          <dt>Next slot at</dt>
          <dd class="numbers">
            {limit.used === 0 || resetMs <= nowMs
              ? 'now'
              : `${formatClock(new Date(resetMs))} (in ${formatCountdown(resetMs, nowMs)})`}
          </dd>
          <dt>Shared by</dt>
          <dd>everyone in your organization</dd>
        </dl>
      </div>
    </section>
  );
}

function UsagePanel({ usage }: { readonly usage: UsageAnswer['data'] }) {
  const { current_month: current, previous_month: previous } = usage;
  const most = Math.max(1, ...METERS.flatMap(({ name }) => [current[name], previous[name]]));
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Usage</h2>
        <span class="muted">
          {formatMonth(previous.month)} <span class="key-dot is-previous" /> {formatMonth(current.month)}{' '}
          <span class="key-dot" />
        </span>
      </header>
      <table class="plain-table usage-table">
        <thead class="spoken">
          <tr>
            <th scope="col">Meter</th>
            <th scope="col">{formatMonth(previous.month)}</th>
            <th scope="col">{formatMonth(current.month)}</th>
            <th scope="col">Bars</th>
          </tr>
        </thead>
        <tbody>
          {METERS.map(({ name, text }) => (
            <tr key={name}>
              <th scope="row">{text}</th>
              <td class="is-right muted">{formatNumber(previous[name])}</td>
              <td class="is-right">
                <b>{formatNumber(current[name])}</b>
              </td>
              <td class="usage-bars" aria-hidden="true">
                <span class="is-previous" style={{ width: `${(previous[name] / most) * 100}%` }} />
                <span style={{ width: `${(current[name] / most) * 100}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
