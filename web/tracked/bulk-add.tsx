import { useState } from 'preact/hooks';
import { type ApiFailure, ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import { formatNumber } from '../parts/format.ts';
import { showToast } from '../parts/toast.tsx';
import { explain, loadTracked } from './tracked-terms.ts';

/** As many as the service takes in one request. */
const MAX_AT_ONCE = 500;

interface BulkAnswer {
  readonly created_count: number;
  readonly existing_count: number;
}

/** Paste a list, one keyword per line: a column of a spreadsheet fits as it is. */
export function BulkAdd({ onDone }: { readonly onDone: () => void }) {
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [isRunning, setRunning] = useState(false);
  const terms = parseTerms(text);
  const isTooMany = terms.length > MAX_AT_ONCE;

  const add = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setFailure(null);
    try {
      const body = { keywords: terms.map((term) => ({ search_term: term })) };
      const { created_count: added, existing_count: known } = await ask<BulkAnswer>('/v1/tracked-keywords', {
        method: 'POST',
        body,
        // Sent twice by a shaky connection, it still counts once.
        headers: { 'idempotency-key': crypto.randomUUID() },
      });
      showToast(
        `Tracking ${formatNumber(added)} more${known > 0 ? `; ${formatNumber(known)} were tracked already` : ''}.`,
      );
      onDone();
    } catch (error) {
      setFailure(asFailure(error));
    }
    setRunning(false);
    await loadTracked();
  };

  return (
    <form class="bulk-form" onSubmit={add}>
      <label class="field">
        <span>One keyword per line</span>
        <textarea
          rows={9}
          value={text}
          placeholder={'running shoes\ntrail running shoes\n…'}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {failure && (
        <p class="fault" role="alert">
          {explain(failure)}
        </p>
      )}
      {isTooMany && <p class="fault">At most {MAX_AT_ONCE} at once. Paste the rest after these.</p>}
      <button type="submit" class="button is-primary is-wide" disabled={terms.length === 0 || isTooMany || isRunning}>
        {isRunning ? 'Adding …' : terms.length === 0 ? 'Track' : `Track ${formatNumber(terms.length)}`}
      </button>
    </form>
  );
}

function parseTerms(text: string): readonly string[] {
  const lines = text.split(/[\n\t]+/).map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}
