// Programs that the reader let in by OAuth, and the way to end them.
import { ask } from '../api/client.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { AgentsAnswer } from '../api/wire.ts';
import { DeleteButton } from '../lists/delete-button.tsx';
import { attempt } from '../lists/known-lists.ts';
import { formatInstant } from '../parts/format.ts';
import '../styles/lists.css';

const PATH = '/v1/agents';

export function AgentList() {
  const { answer, failure, reload } = useAnswer<AgentsAnswer>(PATH);
  const end = (id: string) =>
    attempt(async () => {
      await ask(`${PATH}/${id}`, { method: 'DELETE' });
      reload();
    });
  return (
    <section class="panel" aria-label="Connected agents">
      <header class="panel-head">
        <h2>Connected agents</h2>
      </header>
      {failure && <p class="fault">{failure.message}</p>}
      {answer?.data.length === 0 && (
        <p class="muted">None. Give an agent the address {window.location.origin}/mcp; it asks here to be let in.</p>
      )}
      <ul class="shared-list">
        {answer?.data.map(({ id, name, scopes, created_at, last_used_at }) => (
          <li key={id}>
            <span class="shared-name">
              <span>{name}</span>
              <small class="muted">
                {scopes.join(', ')} · since {formatInstant(created_at)}
                {last_used_at !== null && ` · last used ${formatInstant(last_used_at)}`}
              </small>
            </span>
            <DeleteButton
              name={name}
              warning={`“${name}” can do nothing in your name any more.`}
              onDelete={() => end(id)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
