import { useAnswer } from '../api/use-answer.ts';
import type { AccountAnswer } from '../api/wire.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { AuditPanel } from './audit-panel.tsx';
import { KeysPanel } from './keys-panel.tsx';
import { MembersPanel } from './members-panel.tsx';

/** The organization: its members, who is invited, its keys, and what was done. */
export function TeamView() {
  const { answer, failure, reload } = useAnswer<AccountAnswer>('/v1/account');
  const account = answer?.data;
  return (
    <div class="team-view">
      <div class="view-head">
        <h1>Team</h1>
        {account && <span class="muted account-owner">{account.organization.name}</span>}
        <div class="view-tools">
          <CopyAs request={{ path: '/v1/members' }} />
        </div>
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!account && !failure && <Skeleton rows={3} height={120} />}
      {account && (
        <>
          <MembersPanel account={account} />
          <KeysPanel account={account} />
          {account.actions.includes('audit-log') && <AuditPanel />}
        </>
      )}
    </div>
  );
}
