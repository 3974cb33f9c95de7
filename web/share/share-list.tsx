// The links that the organization has given away, and the way to end them.
import { ask, forgetAnswers } from '../api/client.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { Share, SharesAnswer } from '../api/wire.ts';
import { DeleteButton } from '../lists/delete-button.tsx';
import { attempt } from '../lists/known-lists.ts';
import { formatInstant } from '../parts/format.ts';
import { MissingNotice, Skeleton } from '../parts/notices.tsx';

const PATH = '/v1/shares';

export function ShareList() {
  const { answer, failure, reload } = useAnswer<SharesAnswer>(`${PATH}?limit=1000`);
  return (
    <section class="panel" aria-label="Shared links">
      <header class="panel-head">
        <h2>Shared links</h2>
      </header>
      {failure &&
        (failure.status === 404 ? <MissingNotice what="Shared links are" /> : <p class="fault">{failure.message}</p>)}
      {!answer && !failure && <Skeleton rows={2} height={48} />}
      {answer?.data.length === 0 && (
        <p class="muted">
          Press <b>Share</b> above a keyword, a search or a list to make a link that shows it without signing in.
        </p>
      )}
      <ul class="shared-list">
        {answer?.data.map((share) => (
          <ShareRow key={share.id} share={share} onEnded={reload} />
        ))}
      </ul>
    </section>
  );
}

function ShareRow({ share, onEnded }: { readonly share: Share; readonly onEnded: () => void }) {
  const { id, kind, title, ends_at } = share;
  const end = () =>
    attempt(async () => {
      await ask(`${PATH}/${id}`, { method: 'DELETE' });
      forgetAnswers(PATH);
      onEnded();
    });
  return (
    <li>
      <span class="shared-name">
        <span>{title}</span>
        <small class="muted">
          {kind} · ends {formatInstant(ends_at)}
        </small>
      </span>
      <DeleteButton
        name={title}
        warning={`The link to “${title}” ends at once, for everybody who has it.`}
        onDelete={end}
      />
    </li>
  );
}
