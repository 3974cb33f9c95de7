import type { Member } from '../api/wire.ts';

interface RemovalQuestionProps {
  readonly member: Member;
  readonly onAnswer: (tracked: 'keep' | 'delete') => void;
  readonly onCancel: () => void;
}

/** What becomes of what the member tracked is asked before anything is done. */
export function RemovalQuestion({ member, onAnswer, onCancel }: RemovalQuestionProps) {
  return (
    <fieldset class="team-question">
      <legend>
        {member.is_self ? 'Leave the organization?' : `Remove ${member.email}?`} Keys and sessions end at once;
        webhooks, history and digests of this member go.
      </legend>
      <button type="button" class="button is-small is-danger" onClick={() => onAnswer('keep')}>
        Yes, and keep what was tracked as a list
      </button>
      <button type="button" class="button is-small is-danger" onClick={() => onAnswer('delete')}>
        Yes, and delete what was tracked
      </button>
      <button type="button" class="button is-small" onClick={onCancel}>
        Cancel
      </button>
    </fieldset>
  );
}
