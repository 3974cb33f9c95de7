import { useState } from 'preact/hooks';
import { ask, forgetAnswers } from '../api/client.ts';
import { asFailure, useAnswer } from '../api/use-answer.ts';
import type { HistoryAnswer, HistoryEntry } from '../api/wire.ts';
import { formatAge, formatInstant, formatNumber } from '../parts/format.ts';
import { Skeleton } from '../parts/notices.tsx';
import { showToast } from '../parts/toast.tsx';
import { describeSearch, PastSearchName } from '../search/past-search.tsx';
import { explain } from '../tracked/tracked-terms.ts';

const SHOWN = 20;

export function HistoryList() {
  const { answer, failure, reload } = useAnswer<HistoryAnswer>(`/v1/search/history?limit=${SHOWN}`);
  const [isSure, setSure] = useState(false);
  const deleteAll = async () => {
    if (!isSure) return setSure(true);
    setSure(false);
    try {
      await ask('/v1/search/history', { method: 'DELETE' });
      showToast('Your search history is deleted.');
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    forgetAnswers('/v1/search/history');
    reload();
  };
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>
          Your searches
          {answer && <span class="muted numbers"> {formatNumber(answer.pagination.total_count)}</span>}
        </h2>
        <button
          type="button"
          class={isSure ? 'button is-small is-danger' : 'button is-small'}
          disabled={!answer || answer.data.length === 0}
          onBlur={() => setSure(false)}
          onClick={deleteAll}
        >
          {isSure ? 'Really delete all?' : 'Delete all'}
        </button>
      </header>
      {failure && <p class="fault">{failure.message}</p>}
      {!answer && !failure && <Skeleton rows={6} height={30} />}
      {answer?.data.length === 0 && <p class="muted">No searches yet.</p>}
      <ul class="mini-list history-list">
        {answer?.data.map((entry) => (
          <HistoryLine key={entry.id} entry={entry} />
        ))}
      </ul>
    </section>
  );
}

function HistoryLine({ entry }: { readonly entry: HistoryEntry }) {
  return (
    <li>
      <PastSearchName search={describeSearch(entry)} />
      <span class="numbers muted">{entry.result_count === null ? '–' : formatNumber(entry.result_count)}</span>
      <time class="muted" dateTime={entry.searched_at} title={formatInstant(entry.searched_at)}>
        {formatAge(entry.searched_at, Date.now())}
      </time>
    </li>
  );
}
