import type { Request } from '../api/request.ts';
import type { Frequency } from '../api/wire.ts';
import { addressOf, changeParams, marketplaceParams, place } from '../app/location.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { Icon } from '../parts/icons.tsx';
import { NoData, useIsWithoutData } from '../parts/no-data.tsx';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { SuggestBox } from '../parts/suggest-box.tsx';
import { ShareButton } from '../share/share-button.tsx';
import { ChartPanel } from './chart-panel.tsx';
import { type ComparedKeyword, MAX_COMPARED, stateOf, useKeywords } from './compared-keywords.ts';
import { ComparisonTable } from './comparison-table.tsx';
import { changeType } from './keyword-type.ts';
import { NoRanks } from './no-ranks.tsx';
import { ProductTable } from './product-table.tsx';
import { RelatedKeywords } from './related-keywords.tsx';
import { TrackingNote } from './tracking-note.tsx';

const TYPES = [
  { value: 'monthly', text: 'Monthly' },
  { value: 'weekly', text: 'Weekly' },
] as const;

export function KeywordView() {
  const { params } = place.value;
  const terms = [...new Set(params.getAll('term').filter((term) => term.trim() !== ''))].slice(0, MAX_COMPARED);
  const type: Frequency = params.get('type') === 'weekly' ? 'weekly' : 'monthly';
  const isWithoutData = useIsWithoutData();
  const { keywords, retry } = useKeywords(terms, type);
  const [first] = keywords;
  return (
    <div class="keyword-view">
      <div class="keyword-head">
        <div class="keyword-title">
          <h1>{first ? (first.row?.search_term ?? first.term) : 'Keyword'}</h1>
          {keywords.length > 1 && <p class="muted">compared with {keywords.length - 1} more</p>}
        </div>
        <div class="keyword-tools">
          <SuggestBox
            label={first ? 'Compare with' : 'Keyword'}
            placeholder={placeholderFor(terms.length)}
            text=""
            type={type}
            isMain
            isDisabled={terms.length >= MAX_COMPARED}
            clearsOnSubmit
            onSubmit={(term) => changeParams({ term: [...terms, term] })}
          />
          <Segmented label="Frequency" options={TYPES} value={type} onChange={changeType} />
          {first && <ShareButton thing={{ chart: { terms, type, ...marketplaceParams() } }} title={terms.join(', ')} />}
          {first && <CopyAs request={requestFor(terms, type)} />}
        </div>
      </div>
      {isWithoutData ? (
        <NoData type={type} />
      ) : first ? (
        <KeywordBody keywords={keywords} type={type} onRetry={retry} />
      ) : (
        <NoKeyword />
      )}
    </div>
  );
}

function placeholderFor(count: number): string {
  if (count === 0) return 'Which keyword?';
  return count < MAX_COMPARED ? 'Compare with …' : `${MAX_COMPARED} at most: remove one`;
}

/** One keyword in full, or what several are compared by. */
function requestFor(terms: readonly string[], type: Frequency): Request {
  const [first = ''] = terms;
  const here = marketplaceParams();
  if (terms.length === 1) return { path: '/v1/search/keyword', params: new URLSearchParams({ term: first, ...here }) };
  const params = new URLSearchParams({ method: 'exact', type, ...here });
  for (const term of terms) params.append('query', term);
  return { path: '/v1/search/keywords', params };
}

interface KeywordBodyProps {
  readonly keywords: readonly ComparedKeyword[];
  readonly type: Frequency;
  readonly onRetry: (term: string) => void;
}

function KeywordBody({ keywords, type, onRetry }: KeywordBodyProps) {
  const [first] = keywords;
  const failed = keywords.find(({ failure }) => failure);
  if (!first) return null;
  const states = keywords.map(stateOf);
  return (
    <>
      {failed?.failure && <FailureNotice failure={failed.failure} onRetry={() => onRetry(failed.term)} />}
      {states.includes('ranked') ? (
        <ChartPanel keywords={keywords} type={type} />
      ) : states.includes('loading') ? (
        <section class="panel chart-panel">
          <Skeleton rows={1} height={340} />
        </section>
      ) : (
        !failed && <NoRanks keywords={keywords} type={type} />
      )}
      {(states.includes('ranked') || keywords.length > 1) && <ComparisonTable keywords={keywords} type={type} />}
      <div class={first.row ? 'keyword-columns' : 'keyword-columns is-single'}>
        <ProductTable keyword={first} type={type} />
        <TrackingNote term={first.row?.search_term ?? first.term} />
      </div>
      <RelatedKeywords keyword={first} type={type} compared={keywords.map(({ term }) => term)} />
    </>
  );
}

function NoKeyword() {
  return (
    <EmptyNotice title="Look at one keyword closely">
      <p>
        Type one above, or choose one from a{' '}
        <a href={addressOf('/')} data-view>
          search
        </a>
        . Up to {MAX_COMPARED} can stand in one chart.
      </p>
      <p>
        <a class="button" href={addressOf('/trends')} data-view>
          <Icon name="compare" /> See what moves
        </a>
      </p>
    </EmptyNotice>
  );
}
