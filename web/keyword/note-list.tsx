// The notes below a chart, and the form for another one or a change.
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import { formatDay } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import { type ChartNote, removeNote, saveNote } from './chart-notes.ts';

const MAX_NOTE_CHARACTERS = 300;

interface NoteListProps {
  readonly notes: readonly ChartNote[];
  /** Of the chart that a new note is put on. */
  readonly term: string;
  /** That a new note begins with. */
  readonly day: string;
  readonly onChange: () => void;
}

export function NoteList({ notes, term, day, onChange }: NoteListProps) {
  const [edited, setEdited] = useState<ChartNote>();
  const finish = () => {
    setEdited(undefined);
    onChange();
  };
  const remove = (note: ChartNote) => tellFailure(removeNote(note).then(finish));
  return (
    <details class="chart-notes">
      <summary>
        Notes{notes.length > 0 && ` (${notes.length})`}
        <span class="muted"> · what happened, seen by your organization and in its exports</span>
      </summary>
      <ul>
        {notes.map((note) => (
          <li key={note.id}>
            <span class="note-day">
              <Icon name="flag" /> {formatDay(note.date)}
            </span>
            <span class="note-text">
              {note.note}
              <small class="muted"> {note.search_term === null ? 'on every chart' : note.search_term}</small>
            </span>
            <button
              type="button"
              class="button is-icon is-bare is-small"
              aria-label={`Change the note: ${note.note}`}
              onClick={() => setEdited(note)}
            >
              <Icon name="edit" />
            </button>
            <button
              type="button"
              class="button is-icon is-bare is-small"
              aria-label={`Remove the note: ${note.note}`}
              onClick={() => remove(note)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <NoteForm key={edited?.id} {...{ term, day, edited }} onChange={finish} />
    </details>
  );
}

interface NoteFormProps extends Omit<NoteListProps, 'notes'> {
  readonly edited: ChartNote | undefined;
}

function NoteForm({ term, day, edited, onChange }: NoteFormProps) {
  const [date, setDate] = useState(edited?.date ?? day);
  const [note, setNote] = useState(edited?.note ?? '');
  const [isOnAll, setOnAll] = useState(edited?.search_term === null);
  const submit = async (event: Event) => {
    event.preventDefault();
    const written = { date, note: note.trim(), search_term: isOnAll ? null : (edited?.search_term ?? term) };
    const isSaved = await tellFailure(saveNote(written, edited?.id));
    if (!isSaved) return;
    setNote('');
    onChange();
  };
  return (
    <form class="chart-note-form" onSubmit={submit}>
      <input
        type="date"
        aria-label="Day of the event"
        required
        value={date}
        onInput={(event) => setDate(event.currentTarget.value)}
      />
      <input
        type="text"
        aria-label="What happened"
        placeholder="What happened"
        required
        maxLength={MAX_NOTE_CHARACTERS}
        value={note}
        onInput={(event) => setNote(event.currentTarget.value)}
      />
      <label class="check">
        <input type="checkbox" checked={isOnAll} onChange={(event) => setOnAll(event.currentTarget.checked)} />
        On every chart
      </label>
      <button type="submit" class="button" disabled={note.trim() === '' || date === ''}>
        {edited ? 'Save note' : 'Add note'}
      </button>
    </form>
  );
}

/** Whether it went well. */
async function tellFailure(change: Promise<void>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    const failure: ApiFailure = asFailure(error);
    showToast(explain(failure), { isFailure: true });
    return false;
  }
}
