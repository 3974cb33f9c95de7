// What can be done with the keywords that were picked. It stands at the foot of the window as long as there are some.
import { useState } from 'preact/hooks';
import { exactParams, splitTerms } from '../api/exact-search.ts';
import { asFailure } from '../api/use-answer.ts';
import type { Frequency } from '../api/wire.ts';
import { addressOf, navigate } from '../app/location.ts';
import { MAX_COMPARED } from '../keyword/compared-keywords.ts';
import { AddToList } from '../lists/add-to-list.tsx';
import { explain, MAX_TRACKED_AT_ONCE, trackAll } from '../tracked/tracked-terms.ts';
import { copyText } from './copied-text.ts';
import { ExportButton } from './export-button.tsx';
import { formatNumber } from './format.ts';
import { Icon } from './icons.tsx';
import type { Selection } from './selection.tsx';
import { showToast } from './toast.tsx';

interface SelectionBarProps {
  readonly selection: Selection;
  readonly type: Frequency;
}

export function SelectionBar({ selection, type }: SelectionBarProps) {
  const [isRunning, setRunning] = useState(false);
  const terms = [...selection.terms];
  if (terms.length === 0) return null;
  const track = async () => {
    setRunning(true);
    try {
      await trackAll(terms);
      selection.clear();
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    setRunning(false);
  };
  const canCompare = terms.length > 1 && terms.length <= MAX_COMPARED;
  return (
    <section class="selection-bar" aria-label="Selected keywords">
      <p role="status">
        <b>{formatNumber(terms.length)}</b> selected
      </p>
      <button
        type="button"
        class="button"
        disabled={isRunning || terms.length > MAX_TRACKED_AT_ONCE}
        title={`Up to ${MAX_TRACKED_AT_ONCE} at once`}
        onClick={track}
      >
        <Icon name="star" /> <span>{isRunning ? 'Tracking …' : 'Track'}</span>
      </button>
      <button
        type="button"
        class="button"
        disabled={!canCompare}
        title={`Two to ${MAX_COMPARED} keywords in one chart`}
        onClick={() => navigate(compareAddress(terms, type))}
      >
        <Icon name="compare" /> <span>Compare</span>
      </button>
      <AddToList items={terms.map((term) => ({ search_term: term }))} onDone={selection.clear} />
      <ExportButton
        path="/v1/search/keywords"
        params={splitTerms(terms).map((part) => exactParams(part, type))}
        count={terms.length}
      />
      <button type="button" class="button" onClick={() => copyText(terms.join('\n'), 'Copied.')}>
        <Icon name="copy" /> <span>Copy</span>
      </button>
      <button type="button" class="button is-bare" onClick={selection.clear}>
        <Icon name="close" /> <span>Clear</span>
      </button>
    </section>
  );
}

function compareAddress(terms: readonly string[], type: Frequency): string {
  const params = new URLSearchParams(terms.map((term) => ['term', term]));
  if (type === 'weekly') params.set('type', type);
  return addressOf('/keyword', params);
}
