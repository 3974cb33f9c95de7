import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { rateLimit } from '../api/client.ts';
import { exactParams, splitTerms } from '../api/exact-search.ts';
import type { Frequency } from '../api/wire.ts';
import { addressOf, marketplaceParams } from '../app/location.ts';
import { ComparisonPicker, useComparison } from '../parts/comparison.tsx';
import { copyText } from '../parts/copied-text.ts';
import type { SortState } from '../parts/data-grid.tsx';
import { ExportButton } from '../parts/export-button.tsx';
import { formatNumber } from '../parts/format.ts';
import { NoData, useIsWithoutData } from '../parts/no-data.tsx';
import { EmptyNotice, FailureNotice } from '../parts/notices.tsx';
import { parseTerms } from '../parts/pasted-terms.ts';
import { Segmented } from '../parts/segmented.tsx';
import { ColumnMenu } from './column-choice.tsx';
import {
  continueLookup,
  countSearches,
  type Lookup,
  lookup,
  MAX_LOOKED_UP,
  resultsOf,
  sortLines,
  startLookup,
} from './lookup.ts';
import { sortRows } from './lookup-order.ts';
import { ResultGrid } from './result-grid.tsx';
import { isBestDescending } from './search-state.ts';

const TYPES = [
  { value: 'monthly', text: 'Monthly' },
  { value: 'weekly', text: 'Weekly' },
] as const;

export function LookupView() {
  // A list of another marketplace is another list.
  const current = lookup.value?.marketplace === marketplaceParams().marketplace ? lookup.value : undefined;
  return (
    <div class="lookup-view">
      <div class="view-head">
        <h1>Look up a list</h1>
        <a class="quiet-link" href={addressOf('/')} data-view>
          Back to search
        </a>
      </div>
      {useIsWithoutData() ? (
        <NoData type="monthly" />
      ) : (
        <>
          <LookupForm current={current} />
          {current && <LookupResults current={current} />}
        </>
      )}
    </div>
  );
}

function LookupForm({ current }: { readonly current: Lookup | undefined }) {
  const [text, setText] = useState(current?.terms.join('\n') ?? '');
  const [type, setType] = useState<Frequency>(current?.type ?? 'monthly');
  const { terms, tooLong } = sortLines(parseTerms(text));
  const isTooMany = terms.length > MAX_LOOKED_UP;
  const cost = countSearches(terms.length);
  const left = rateLimit.value?.remaining;
  return (
    <form
      class="lookup-form panel"
      onSubmit={(event) => {
        event.preventDefault();
        chosenOrder.value = PASTED;
        void startLookup(terms, type);
      }}
    >
      <label class="field">
        <span>Keywords, one per line; a column of a spreadsheet can be pasted as it is</span>
        <textarea
          rows={current ? 4 : 10}
          value={text}
          placeholder={'running shoes\ntrail running shoes\n…'}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="lookup-line">
        <Segmented label="Frequency" options={TYPES} value={type} onChange={setType} />
        <button
          type="submit"
          class="button is-primary"
          disabled={terms.length === 0 || isTooMany || current?.isRunning === true}
        >
          {terms.length === 0 ? 'Look up' : `Look up ${formatNumber(terms.length)}`}
        </button>
        <p class="muted" role="status">
          {isTooMany
            ? `At most ${formatNumber(MAX_LOOKED_UP)} at once; these are ${formatNumber(terms.length)}.`
            : terms.length === 0
              ? `Up to ${formatNumber(MAX_LOOKED_UP)} keywords. Every 50 cost one search.`
              : `Costs ${formatNumber(cost)} ${cost === 1 ? 'search' : 'searches'}${left === undefined ? '' : ` of ${formatNumber(left)} left`}.`}
          {tooLong > 0 && ` ${formatNumber(tooLong)} too long to be a keyword.`}
        </p>
      </div>
    </form>
  );
}

const PASTED: SortState = { order: '', isDescending: false };
/** Kept with the list, for the way back from a keyword. */
const chosenOrder = signal(PASTED);

function LookupResults({ current }: { readonly current: Lookup }) {
  const sort = chosenOrder.value;
  const setSort = (next: SortState) => {
    chosenOrder.value = next;
  };
  const comparison = useComparison(current.type);
  const { found, missing } = resultsOf(current);
  const rows = sortRows(found, { sort, comparison });
  const onSort = (order: string) => {
    const isBest = isBestDescending(order);
    if (sort.order !== order) setSort({ order, isDescending: isBest });
    // The third time, the order of the list comes back.
    else setSort(sort.isDescending === isBest ? { order, isDescending: !isBest } : PASTED);
  };
  const terms = rows.map((row) => row.search_term);
  return (
    <section aria-label="Results">
      <div class="results-bar">
        <p class="results-count" role="status">
          <b>{formatNumber(found.length)}</b> found
          <span class="muted">
            {' '}
            of {formatNumber(current.asked)}
            {current.isRunning && ` · looking up ${formatNumber(current.terms.length - current.asked)} more …`}
          </span>
        </p>
        <ComparisonPicker comparison={comparison} />
        <div class="results-actions">
          <ColumnMenu type={current.type} />
          {found.length > 0 && (
            <ExportButton
              path="/v1/search/keywords"
              params={splitTerms(terms).map((part) => exactParams(part, current.type))}
              count={found.length}
            />
          )}
        </div>
      </div>
      {current.failure && <FailureNotice failure={current.failure} onRetry={() => void continueLookup()} />}
      {missing.length > 0 && <Missing terms={missing} />}
      {found.length > 0 ? (
        <ResultGrid
          state={{ type: current.type, sortPeriod: undefined, sort }}
          comparison={comparison}
          rows={rows}
          subject={current.terms.join('\n')}
          isStale={false}
          onSort={onSort}
        />
      ) : (
        !current.isRunning && !current.failure && <EmptyNotice title="None of these keywords is in the data." />
      )}
    </section>
  );
}

function Missing({ terms }: { readonly terms: readonly string[] }) {
  return (
    <details class="lookup-missing panel">
      <summary>
        <b>{formatNumber(terms.length)}</b> not found
      </summary>
      <button type="button" class="button is-small" onClick={() => copyText(terms.join('\n'), 'Copied.')}>
        Copy them
      </button>
      <ul>
        {terms.map((term) => (
          <li key={term}>
            <a href={addressOf('/', { query: term })} data-view title="Search for similar ones">
              {term}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
