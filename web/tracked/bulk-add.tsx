import { useState } from 'preact/hooks';
import type { ApiFailure } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import { formatNumber } from '../parts/format.ts';
import { parseTerms } from '../parts/pasted-terms.ts';
import { explain, MAX_TRACKED_AT_ONCE, trackAll } from './tracked-terms.ts';

/** Paste a list, one keyword per line: a column of a spreadsheet fits as it is. */
export function BulkAdd({ onDone }: { readonly onDone: () => void }) {
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [isRunning, setRunning] = useState(false);
  const terms = parseTerms(text);
  const isTooMany = terms.length > MAX_TRACKED_AT_ONCE;

  const add = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setFailure(null);
    try {
      await trackAll(terms);
      onDone();
    } catch (error) {
      setFailure(asFailure(error));
    }
    setRunning(false);
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
      {isTooMany && <p class="fault">At most {MAX_TRACKED_AT_ONCE} at once. Paste the rest after these.</p>}
      <button type="submit" class="button is-primary is-wide" disabled={terms.length === 0 || isTooMany || isRunning}>
        {isRunning ? 'Adding …' : terms.length === 0 ? 'Track' : `Track ${formatNumber(terms.length)}`}
      </button>
    </form>
  );
}
