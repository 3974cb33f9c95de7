// One product over time, or several beside each other.
import { useEffect } from 'preact/hooks';
import type { ProductAnswer } from '../api/wire.ts';
import { addressOf, marketplaceParams, place } from '../app/location.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { NoData, useIsWithoutData } from '../parts/no-data.tsx';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { usePeriodsAnswer } from '../parts/periods.ts';
import { FrequencyChoice } from './frequency-choice.tsx';
import { HeldKeywords } from './held-keywords.tsx';
import { type Holder, listParams, overviewPath, readType, requestFor } from './holder.ts';
import { HolderCharts } from './holder-charts.tsx';
import { HolderFacts } from './holder-facts.tsx';
import { MAX_PRODUCTS } from './pasted-products.ts';
import { ProductBox } from './product-box.tsx';
import { ListChoice, ProductComparison, readList } from './product-comparison.tsx';
import { ProductStar } from './product-star.tsx';
import { addressInShop, findShop } from './shops.ts';
import { UnknownHolder } from './unknown-holder.tsx';
import { useAnswers } from './use-answers.ts';
import '../styles/product.css';

/** As many as a chart has colours for. */
const MAX_DRAWN = 5;

export function ProductView() {
  const given = place.value.params.getAll('asin').map((asin) => asin.trim().toUpperCase());
  const asins = [...new Set(given.filter((asin) => asin !== ''))].slice(0, MAX_PRODUCTS);
  const isWithoutData = useIsWithoutData(readType());
  const [first] = asins;
  if (isWithoutData) return <NoData type={readType()} />;
  return first === undefined ? <NoProduct /> : <Products asins={asins} first={first} />;
}

function Products({ asins, first }: { readonly asins: readonly string[]; readonly first: string }) {
  const type = readType();
  const holders = asins.slice(0, MAX_DRAWN).map((asin): Holder => ({ kind: 'product', asin }));
  const { answers, reload } = useAnswers<ProductAnswer>(holders.map((holder) => overviewPath(holder, type)));
  const [own] = answers;
  const failed = answers.find(({ failure }) => failure && failure.status !== 404);
  const title = own?.answer?.data.title ?? '';
  useEffect(() => {
    if (title) document.title = `${title} · Product · keyrank`;
  });
  const list = readList(asins.length);
  const known = answers.flatMap(({ answer }, i) =>
    answer ? [{ name: asins.length === 1 ? answer.data.asin : nameOf(answer), data: answer.data, index: i }] : [],
  );
  return (
    <div class="keyword-view">
      <ProductHead asins={asins} first={first} title={title} />
      {failed?.failure && <FailureNotice failure={failed.failure} onRetry={reload} />}
      {own?.failure?.status === 404 && <UnknownHolder holder={{ kind: 'product', asin: first }} type={type} />}
      {own?.answer && <HolderFacts data={own.answer.data} type={type} />}
      {known.length > 0 && <HolderCharts holders={known} type={type} />}
      {known.length === 0 && !answers.some(({ failure }) => failure) && <Skeleton rows={2} height={180} />}
      {asins.length > 1 && <ListChoice list={list} first={first} />}
      {asins.length > 1 && list !== 'own' ? (
        <ProductComparison asins={asins} mode={list} type={type} />
      ) : (
        own?.answer && <HeldKeywords holder={{ kind: 'product', asin: first }} data={own.answer.data} type={type} />
      )}
    </div>
  );
}

function nameOf({ data: { asin, title } }: ProductAnswer): string {
  return title || asin;
}

interface ProductHeadProps {
  readonly asins: readonly string[];
  readonly first: string;
  readonly title: string;
}

function ProductHead({ asins, first, title }: ProductHeadProps) {
  const type = readType();
  const { answer } = usePeriodsAnswer();
  const shop = findShop(marketplaceParams().marketplace ?? answer?.marketplace);
  const holder: Holder = { kind: 'product', asin: first };
  return (
    <div class="keyword-head">
      <div class="product-name">
        <h1 title={title}>{title || first}</h1>
        <p class="muted">
          <code>{first}</code>
          {shop && (
            <>
              {' · '}
              <a href={addressInShop(shop, first)} target="_blank" rel="noreferrer">
                Open at {shop.name}
              </a>
            </>
          )}
          {asins.length > 1 && ` · beside ${asins.length - 1} more`}
        </p>
      </div>
      <div class="keyword-tools">
        <ProductBox asins={asins} />
        <FrequencyChoice type={type} />
        <ProductStar asin={first} />
        <CopyAs
          request={
            asins.length > 1 && readList(asins.length) !== 'own'
              ? { path: '/v1/products/compare', params: compareParams(asins) }
              : requestFor(holder, '/keywords', listParams(['status', 'order_by'], type))
          }
        />
      </div>
    </div>
  );
}

function compareParams(asins: readonly string[]): URLSearchParams {
  const params = listParams(['mode'], readType());
  for (const asin of asins) params.append('asin', asin);
  return params;
}

function NoProduct() {
  return (
    <div class="keyword-view">
      <h1>Products</h1>
      <EmptyNotice title="Look at a product">
        <p>
          Paste an ASIN, several of them, or links to product pages. You see for which keywords the product is among the
          top three, with which share, and since when.
        </p>
        <ProductBox asins={[]} />
        <p>
          <a href={addressOf('/')} data-view>
            Search for keywords
          </a>{' '}
          to find products.
        </p>
      </EmptyNotice>
    </div>
  );
}
