// History and products of the rows of a list. Trend lists are free and tell ranks of two periods; what else is known of a keyword
// is a search, one for fifty rows. So it comes when it is asked for, and stays on until the page is loaded again.
import { type Signal, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { ApiFailure } from '../api/client.ts';
import { isAsked, listUnasked, searchExactly, splitTerms } from '../api/exact-search.ts';
import { asFailure } from '../api/use-answer.ts';
import type { Frequency } from '../api/wire.ts';
import { findRow } from '../keyword/known-rows.ts';
import { Icon } from '../parts/icons.tsx';
import { FailureNotice } from '../parts/notices.tsx';
import { usePeriods } from '../parts/periods.ts';
import { Sparkline } from '../parts/sparkline.tsx';
import { Products } from '../search/result-products.tsx';
import type { TrendColumn } from './trend-column.ts';

export const hasDetails = signal(false);
/** Rises with every answer, so that what it brought is drawn. */
const round = signal(0);

interface DetailsProps {
  readonly terms: readonly string[];
  readonly type: Frequency;
}

interface DetailsButtonProps extends DetailsProps {
  readonly text: string;
  /** Whether they are shown; one for lists that are looked at together. */
  readonly shown: Signal<boolean>;
}

export function DetailsButton({ text, terms, type, shown }: DetailsButtonProps) {
  const failure = useDetails(terms, type, shown.value);
  round.value;
  const cost = splitTerms(listUnasked(terms, type)).length;
  return (
    <>
      <button
        type="button"
        class="button"
        aria-pressed={shown.value}
        title={`${text} of each row; every 50 rows that no search brought yet cost one search`}
        onClick={() => {
          shown.value = !shown.value;
        }}
      >
        <Icon name="compare" />{' '}
        <span>
          {text}
          {!shown.value && cost > 0 && <small class="muted"> {cost === 1 ? '1 search' : `${cost} searches`}</small>}
        </span>
      </button>
      {failure && <FailureNotice failure={failure.failure} onRetry={failure.retry} />}
    </>
  );
}

function useDetails(terms: readonly string[], type: Frequency, isOn: boolean) {
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [attempt, setAttempt] = useState(0);
  const key = `${type} ${terms.join('\n')}`;
  useEffect(() => {
    if (!isOn) return setFailure(null);
    let isCurrent = true;
    const load = async () => {
      for (const part of splitTerms(listUnasked(terms, type))) {
        if (!isCurrent) return;
        await searchExactly(part, type);
        round.value += 1;
      }
    };
    setFailure(null);
    load().catch((error: unknown) => isCurrent && setFailure(asFailure(error)));
    return () => {
      isCurrent = false;
    };
  }, [isOn, key, attempt]);
  return failure && { failure, retry: () => setAttempt(attempt + 1) };
}

export function detailColumns(type: Frequency): readonly TrendColumn<{ readonly query: string }>[] {
  if (!hasDetails.value) return [];
  round.value;
  return [
    {
      id: 'trend',
      title: 'History',
      track: '104px',
      cell: ({ query }) => <KeywordHistory term={query} type={type} />,
    },
    {
      id: 'products',
      title: 'Top products',
      track: 'minmax(120px, 1.4fr)',
      cell: ({ query }) => <KeywordProducts term={query} type={type} />,
    },
  ];
}

interface DetailProps {
  readonly term: string;
  readonly type: Frequency;
}

function KeywordHistory({ term, type }: DetailProps) {
  const periods = usePeriods(type);
  round.value;
  const data = findRow(term, type)?.data;
  if (!data) return <Awaited term={term} type={type} />;
  return <Sparkline history={periods.map(({ period }) => ({ period, rank: data[period] }))} type={type} />;
}

export function KeywordProducts({ term, type }: DetailProps) {
  round.value;
  const row = findRow(term, type);
  return row ? <Products products={row.latest_data.products} type={type} /> : <Awaited term={term} type={type} />;
}

function Awaited({ term, type }: DetailProps) {
  // Drawn again with every answer: one may have brought all but this keyword.
  round.value;
  return <span class="muted">{isAsked(term, type) ? '–' : '…'}</span>;
}
