// Whose products were the top three of a keyword, and what part of its clicks they had, period by period.
import { useState } from 'preact/hooks';
import type { ApiPath } from '../api/client.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { Frequency, TermHistoryAnswer } from '../api/wire.ts';
import { marketplaceParams } from '../app/location.ts';
import { ChartBox, type Reading } from '../chart/chart-box.tsx';
import { marksOf, readRange, zoomTo } from '../chart/chart-range.ts';
import { formatValue, type Series } from '../chart/chart-scale.ts';
import { seriesVariable } from '../chart/series-colour.ts';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { ProductLink } from '../product/product-link.tsx';
import { nameOfFile, numberFiles } from './keyword-files.ts';
import type { KeywordChartProps } from './rank-chart.tsx';

const SHARES = [
  { value: 'click_share', text: 'Clicks' },
  { value: 'conversion_share', text: 'Conversions' },
] as const;
type Share = (typeof SHARES)[number]['value'];

/** As many as there are colours; the others share one. */
const MAX_NAMED = 5;
const OTHERS = '--series-rest';

type Period = TermHistoryAnswer['data'][number];

export function ShareChart({ keywords, type, notes }: KeywordChartProps) {
  const [keyword] = keywords;
  const params = new URLSearchParams({ term: keyword?.term ?? '', type, ...marketplaceParams() });
  const path: ApiPath = `/v1/search/keyword/history?${params}`;
  const { answer, failure, reload } = useAnswer<TermHistoryAnswer>(keyword ? path : null);
  const [share, setShare] = useState<Share>('click_share');
  if (failure) return <FailureNotice failure={failure} onRetry={reload} />;
  if (!answer || !keyword) return <Skeleton rows={1} height={340} />;
  const periods = answer.data;
  const named = listNamed(periods, share);
  if (named.length === 0) {
    return <p class="muted">The reports name no products with shares for this keyword.</p>;
  }
  const name = keyword.row?.search_term ?? keyword.term;
  return (
    <ChartBox
      title={`${share === 'click_share' ? 'Clicks' : 'Conversions'} of the top three: ${name}`}
      marks={marksOf(periods, type)}
      series={seriesOf(periods, { named, share })}
      shape="columns"
      measure="percent"
      range={readRange(periods)}
      notes={notes}
      onZoom={(range) => zoomTo(range, periods)}
      readAt={(at) => readTopThree(periods[at], { named, share })}
      fileName={nameOfFile([name], share === 'click_share' ? 'clicks' : 'conversions')}
      files={numberFiles([keyword], type)}
    >
      <div class="share-legend">
        <Segmented label="Share" options={SHARES} value={share} onChange={setShare} />
        <WhoTheyWere periods={periods} named={named} type={type} />
      </div>
    </ChartBox>
  );
}

interface NamedProduct {
  readonly asin: string;
  readonly title: string;
  readonly colour: string;
  readonly periods: number;
}

/** Those with the largest part over all periods. */
function listNamed(periods: readonly Period[], share: Share): readonly NamedProduct[] {
  const sums = new Map<string, { sum: number; count: number; title: string }>();
  for (const { products } of periods) {
    for (const product of products) {
      const { sum = 0, count = 0 } = sums.get(product.asin) ?? {};
      sums.set(product.asin, { sum: sum + (product[share] ?? 0), count: count + 1, title: product.title });
    }
  }
  return [...sums]
    .filter(([, { sum }]) => sum > 0)
    .toSorted(([, a], [, b]) => b.sum - a.sum)
    .slice(0, MAX_NAMED)
    .map(([asin, { title, count }], i) => ({ asin, title, colour: seriesVariable(i), periods: count }));
}

interface ShareOptions {
  readonly named: readonly NamedProduct[];
  readonly share: Share;
}

function seriesOf(periods: readonly Period[], { named, share }: ShareOptions): readonly Series[] {
  const known = new Set(named.map(({ asin }) => asin));
  const sumOf = (products: Period['products']) =>
    products.length === 0 ? null : products.reduce((sum, product) => sum + (product[share] ?? 0), 0);
  const rest = periods.map(({ products }) => sumOf(products.filter(({ asin }) => !known.has(asin))));
  return [
    ...named.map(({ asin, title, colour }) => ({
      name: title || asin,
      values: periods.map(({ products }) => products.find((each) => each.asin === asin)?.[share] ?? null),
      colour,
    })),
    ...(rest.some(Boolean) ? [{ name: 'Other products', values: rest, colour: OTHERS }] : []),
  ];
}

function readTopThree(period: Period | undefined, { named, share }: ShareOptions): readonly Reading[] {
  return (period?.products ?? []).map((product, i) => ({
    name: `${i + 1}. ${product.title || product.asin}`,
    colour: named.find(({ asin }) => asin === product.asin)?.colour ?? OTHERS,
    value: formatValue(product[share], 'percent'),
  }));
}

/** The products by their colours, with the way to each. */
function WhoTheyWere(props: {
  readonly periods: readonly Period[];
  readonly named: readonly NamedProduct[];
  readonly type: Frequency;
}) {
  const unit = props.type === 'monthly' ? 'months' : 'weeks';
  return (
    <ul class="who-list">
      {props.named.map(({ asin, title, colour, periods }) => (
        <li key={asin}>
          <span class="swatch" style={{ background: `var(${colour})` }} aria-hidden="true" />
          <ProductLink asin={asin} title={title} type={props.type} />
          <small class="muted">
            {periods} of {props.periods.length} {unit}
          </small>
        </li>
      ))}
    </ul>
  );
}
