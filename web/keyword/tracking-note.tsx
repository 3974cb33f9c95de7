import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { TrackedKeyword } from '../api/wire.ts';
import { showToast } from '../parts/toast.tsx';
import { describeRule } from '../tracked/rule-words.ts';
import { Star } from '../tracked/star.tsx';
import { explain, findTracked, loadTracked } from '../tracked/tracked-terms.ts';

const MAX_NOTES = 1000;

export function TrackingNote({ term }: { readonly term: string }) {
  const tracked = findTracked(term);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Tracking</h2>
        <Star term={term} hasText />
      </header>
      {tracked ? (
        <>
          <p class="muted">
            {tracked.is_active ? 'In every digest' : 'Paused'}
            {tracked.priority_enabled && ` · alert: ${describeRule(tracked.priority_rule)}`}
          </p>
          <NoteForm key={tracked.id} tracked={tracked} />
        </>
      ) : (
        <p class="muted">Track it to see it in a digest with every new period, and to keep notes on it.</p>
      )}
    </section>
  );
}

function NoteForm({ tracked }: { readonly tracked: TrackedKeyword }) {
  const [notes, setNotes] = useState(tracked.notes);
  useEffect(() => setNotes(tracked.notes), [tracked.notes]);
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      await ask(`/v1/tracked-keywords/${tracked.id}`, { method: 'PATCH', body: { notes } });
      showToast('Notes saved.');
      await loadTracked();
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
  };
  return (
    <form class="note-form" onSubmit={save}>
      <label class="field">
        <span>Notes</span>
        <textarea
          rows={4}
          maxLength={MAX_NOTES}
          value={notes}
          onInput={(event) => setNotes(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button" disabled={notes === tracked.notes}>
        Save notes
      </button>
    </form>
  );
}
