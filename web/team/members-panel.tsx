import { useState } from 'preact/hooks';
import { ask, forgetAnswers } from '../api/client.ts';
import { asFailure, useAnswer } from '../api/use-answer.ts';
import type { Account, InvitationsAnswer, Member, MembersAnswer, Role } from '../api/wire.ts';
import { leaveSession } from '../app/session.ts';
import { formatAge } from '../parts/format.ts';
import { Skeleton } from '../parts/notices.tsx';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import { InviteForm } from './invite-form.tsx';
import { RemovalQuestion } from './removal-question.tsx';
import { ROLES } from './roles.ts';

export function MembersPanel({ account }: { readonly account: Account }) {
  const { answer, failure, reload } = useAnswer<MembersAnswer>('/v1/members');
  const mayManage = account.actions.includes('members');
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Members</h2>
        {answer && <span class="muted numbers">{answer.data.length}</span>}
      </header>
      {failure && <p class="fault">{explain(failure)}</p>}
      {!answer && !failure && <Skeleton rows={3} height={36} />}
      {answer && (
        <ul class="team-rows" aria-label="Members">
          {answer.data.map((member) => (
            <MemberRow key={member.id} member={member} account={account} onChange={reload} />
          ))}
        </ul>
      )}
      {mayManage && <Invitations account={account} />}
    </section>
  );
}

function MemberRow(props: { readonly member: Member; readonly account: Account; readonly onChange: () => void }) {
  const { member, account, onChange } = props;
  const [isRemoving, setRemoving] = useState(false);
  const isOwner = account.actions.includes('owners');
  const mayManage = account.actions.includes('members') && (isOwner || member.role !== 'owner');
  const mayLeave = member.is_self && account.session_id !== null;
  const changeRole = async (role: Role) => {
    try {
      await ask(`/v1/members/${member.id}`, { method: 'PATCH', body: { role } });
      showToast(`${member.email} is ${role} now.`);
      if (member.is_self) forgetAnswers('/v1/account');
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    onChange();
  };
  const remove = async (tracked: 'keep' | 'delete') => {
    try {
      if (member.is_self) {
        await ask('/v1/account/leave', { method: 'POST', body: { tracked } });
        leaveSession('You have left the organization.');
        return;
      }
      await ask(`/v1/members/${member.id}?tracked=${tracked}`, { method: 'DELETE' });
      showToast(`${member.email} is removed, and their keys are dead.`);
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    setRemoving(false);
    onChange();
  };
  return (
    <li>
      <span class="team-who">
        <b>{member.email}</b>
        {member.is_self && <span class="plan-badge">you</span>}
        <small class="muted">
          {member.last_seen_at === null ? 'not seen yet' : `seen ${formatAge(member.last_seen_at, Date.now())}`}
          {member.active_keys > 0 && ` · ${member.active_keys} ${member.active_keys === 1 ? 'key' : 'keys'}`}
        </small>
      </span>
      {mayManage ? (
        <select
          aria-label={`Role of ${member.email}`}
          value={member.role}
          onChange={(event) => changeRole(event.currentTarget.value as Role)}
        >
          {ROLES.filter(({ name }) => isOwner || name !== 'owner').map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <span>{member.role}</span>
      )}
      {(mayLeave || (mayManage && !member.is_self)) && (
        <button
          type="button"
          class="button is-small"
          aria-label={member.is_self ? 'Leave' : `Remove ${member.email}`}
          onClick={() => setRemoving(!isRemoving)}
        >
          {member.is_self ? 'Leave' : 'Remove'}
        </button>
      )}
      {isRemoving && <RemovalQuestion member={member} onAnswer={remove} onCancel={() => setRemoving(false)} />}
    </li>
  );
}

function Invitations({ account }: { readonly account: Account }) {
  const { answer, reload } = useAnswer<InvitationsAnswer>('/v1/invitations');
  const withdraw = async (id: string) => {
    try {
      await ask(`/v1/invitations/${id}`, { method: 'DELETE' });
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    reload();
  };
  return (
    <>
      {answer && answer.data.length > 0 && (
        <ul class="team-rows" aria-label="Invitations">
          {answer.data.map((each) => (
            <li key={each.id}>
              <span class="team-who">
                <b>{each.email}</b>
                <small class="muted">
                  {Date.parse(each.expires_at) < Date.now()
                    ? 'the invitation has expired'
                    : `invited ${formatAge(each.created_at, Date.now())}`}
                </small>
              </span>
              <span>{each.role}</span>
              <button
                type="button"
                class="button is-small"
                aria-label={`Withdraw the invitation of ${each.email}`}
                onClick={() => withdraw(each.id)}
              >
                Withdraw
              </button>
            </li>
          ))}
        </ul>
      )}
      <InviteForm isOwner={account.actions.includes('owners')} onInvited={reload} />
    </>
  );
}
