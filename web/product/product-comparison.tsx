// The keywords of several products side by side: those that all share, those of any, and those that the first lacks.
import { pathOf } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { ComparisonAnswer, Frequency } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { Swatch } from '../chart/chart-box.tsx';
import { seriesVariable } from '../chart/series-colour.ts';
import { ExportButton } from '../parts/export-button.tsx';
import { formatNumber, formatPercent, formatPeriod } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Pager } from '../parts/pager.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { Star } from '../tracked/star.tsx';
import { listParams } from './holder.ts';
import { Place } from './holder-facts.tsx';
import { ListFilters } from './list-filters.tsx';
import { ProductLink } from './product-link.tsx';

/** Why a list has nothing in it, where no filter is to blame. */
const EMPTY = {
  shared: { title: 'They share no keyword.', hint: 'Of any lists the keywords of each; Gap what the first one lacks.' },
  any: { title: 'None of them is in a top three.', hint: 'Choose another period above.' },
  gap: { title: 'There is no gap.', hint: 'The first one has every keyword that the others have.' },
} as const;

const LISTS = [
  { value: 'shared', text: 'Shared by all' },
  { value: 'any', text: 'Of any' },
  { value: 'gap', text: 'Gap' },
  { value: 'own', text: 'Only the first' },
] as const;
type List = (typeof LISTS)[number]['value'];

/** What is listed: `own` is the list of the first product by itself. */
export function readList(count: number): List {
  if (count < 2) return 'own';
  return LISTS.find(({ value }) => value === place.value.params.get('mode'))?.value ?? 'shared';
}

export function ListChoice({ list, first }: { readonly list: List; readonly first: string }) {
  const texts: Readonly<Record<List, string>> = {
    shared: 'Keywords for which each of them is among the top three.',
    any: 'Keywords for which at least one of them is among the top three.',
    gap: `Keywords of the others for which ${first} is not among the top three.`,
    own: `Keywords of ${first}, with what it won and lost.`,
  };
  const change = (mode: List) =>
    changeParams({ mode: mode === 'shared' ? null : mode, page: null, order_by: null, order_direction: null });
  return (
    <div class="list-choice">
      <h2>Keywords</h2>
      <Segmented label="Keywords of" options={LISTS} value={list} onChange={change} />
      <p class="muted">{texts[list]}</p>
    </div>
  );
}

interface ProductComparisonProps {
  readonly asins: readonly string[];
  readonly mode: Exclude<List, 'own'>;
  readonly type: Frequency;
}

export function ProductComparison({ asins, mode, type }: ProductComparisonProps) {
  const params = listParams([], type);
  params.set('mode', mode);
  for (const asin of asins) params.append('asin', asin);
  const path = { path: '/v1/products/compare', params };
  const { answer, failure, isLoading, reload } = useAnswer<ComparisonAnswer>(pathOf(path));
  const count = answer?.pagination.total_count ?? 0;
  return (
    <section aria-label="Comparison">
      <div class="results-bar list-bar">
        <p class="results-count" role="status">
          <b>{formatNumber(count)}</b> {count === 1 ? 'keyword' : 'keywords'}
          {answer?.period && <span class="muted"> · in {formatPeriod(answer.period, type)}</span>}
        </p>
        <ListFilters type={type} />
        <ExportButton path="/v1/products/compare" params={params} count={count} />
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!answer && !failure && <Skeleton rows={10} height={40} />}
      {answer && !failure && <ComparisonTable answer={answer} type={type} isStale={isLoading} />}
      {answer?.data.length === 0 && !failure && (
        <EmptyNotice title={params.has('query') ? 'None of these keywords has these words.' : EMPTY[mode].title}>
          <p>{params.has('query') ? 'Take the words out of the filter above.' : EMPTY[mode].hint}</p>
        </EmptyNotice>
      )}
      {answer && count > 0 && (
        <Pager
          pagination={answer.pagination}
          onPage={(page) => changeParams({ page: page === 1 ? null : String(page) })}
          onPageSize={(size) => changeParams({ limit: String(size), page: null })}
        />
      )}
    </section>
  );
}

interface ComparisonTableProps {
  readonly answer: ComparisonAnswer;
  readonly type: Frequency;
  readonly isStale: boolean;
}

function ComparisonTable({ answer, type, isStale }: ComparisonTableProps) {
  const isDescending = place.value.params.get('order_direction')?.toLowerCase() === 'desc';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable.
    <section class={isStale ? 'wide-table is-stale' : 'wide-table'} tabIndex={0} aria-label="Products side by side">
      <table class="plain-table side-by-side">
        <thead>
          <tr>
            <th scope="col">Keyword</th>
            <th scope="col" class="is-right" aria-sort={isDescending ? 'descending' : 'ascending'}>
              <button
                type="button"
                class="sort"
                onClick={() => changeParams({ order_direction: isDescending ? null : 'desc', page: null })}
              >
                <span>Rank</span>
                <span class="sort-mark" aria-hidden="true">
                  {isDescending ? '↓' : '↑'}
                </span>
              </button>
            </th>
            {answer.products.map((product, i) => (
              <ProductHeading key={product.asin} product={product} index={i} type={type} />
            ))}
          </tr>
        </thead>
        <tbody>
          {answer.data.map(({ search_term: term, search_rank: rank, products }) => (
            <tr key={term}>
              <th scope="row">
                <span class="term-with-star">
                  <Star term={term} />
                  <a href={addressOfKeyword(term, { type })} data-view>
                    {term}
                  </a>
                </span>
              </th>
              <td class="is-right">{formatNumber(rank)}</td>
              {products.map(({ asin, place: at, click_share: share }) => (
                <td key={asin}>
                  <span class="standing">
                    <Place value={at} />
                    {share !== null && <span class="numbers">{formatPercent(share)}</span>}
                  </span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface ProductHeadingProps {
  readonly product: ComparisonAnswer['products'][number];
  readonly index: number;
  readonly type: Frequency;
}

function ProductHeading({ product: { asin, title, keywords }, index, type }: ProductHeadingProps) {
  const remove = () =>
    changeParams({
      asin: place.value.params.getAll('asin').filter((each) => each.trim().toUpperCase() !== asin),
      page: null,
    });
  return (
    <th scope="col">
      <span class="product-heading">
        {index < 5 && <Swatch colour={seriesVariable(index)} />}
        <span>
          <ProductLink asin={asin} title={title} type={type} />
          <small class="muted">
            {asin} · {formatNumber(keywords)} {keywords === 1 ? 'keyword' : 'keywords'}
          </small>
        </span>
        <button type="button" class="button is-icon is-bare is-small" aria-label={`Remove ${asin}`} onClick={remove}>
          <Icon name="close" />
        </button>
      </span>
    </th>
  );
}
