import type { Request } from '../api/request.ts';
import type { Frequency } from '../api/wire.ts';
import { addressOf, changeParams, marketplaceParams, place } from '../app/location.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { Icon } from '../parts/icons.tsx';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { SuggestBox } from '../parts/suggest-box.tsx';
import { type ComparedKeyword, MAX_COMPARED, useKeywords } from './compared-keywords.ts';
import { ComparisonTable } from './comparison-table.tsx';
import { ProductTable } from './product-table.tsx';
import { RankChart } from './rank-chart.tsx';
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
          {terms.length < MAX_COMPARED && (
            <SuggestBox
              label={first ? 'Compare with' : 'Keyword'}
              placeholder={first ? 'Compare with …' : 'Which keyword?'}
              text=""
              type={type}
              isMain
              clearsOnSubmit
              onSubmit={(term) => changeParams({ term: [...terms, term] })}
            />
          )}
          <Segmented
            label="Frequency"
            options={TYPES}
            value={type}
            onChange={(value) => changeParams({ type: value === 'monthly' ? null : value })}
          />
          {first && <CopyAs request={requestFor(terms, type)} />}
        </div>
      </div>
      {first ? <KeywordBody keywords={keywords} type={type} onRetry={retry} /> : <NoKeyword />}
    </div>
  );
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
  const failed = keywords.find(({ failure, row }) => failure && !row);
  if (!first) return null;
  const isWaiting = keywords.every(({ row, isLoading }) => !row && isLoading);
  return (
    <>
      {failed?.failure && <FailureNotice failure={failed.failure} onRetry={() => onRetry(failed.term)} />}
      <section class="panel chart-panel" aria-label="Rank history">
        {isWaiting ? <Skeleton rows={1} height={340} /> : <RankChart keywords={keywords} type={type} />}
      </section>
      <ComparisonTable keywords={keywords} type={type} />
      <div class="keyword-columns">
        <ProductTable keyword={first} />
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
