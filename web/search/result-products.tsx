// The top products of a keyword, and brands, in one line each.
import { Fragment } from 'preact';
import type { Frequency, Product } from '../api/wire.ts';
import { BrandLink, ProductLink } from '../product/product-link.tsx';

interface ProductsProps {
  readonly products: readonly Product[];
  readonly type: Frequency;
}

export function Products({ products, type }: ProductsProps) {
  const [first] = products;
  if (!first) return <span class="muted">–</span>;
  const all = products
    .map(({ asin, title, click_share: share }) => `${asin}  ${share.toFixed(1)}%  ${title}`)
    .join('\n');
  return (
    <span class="products" title={all}>
      <ShareBar shares={products.map(({ click_share: share }) => share)} />
      <span class="products-title">
        <ProductLink asin={first.asin} title={first.title} type={type} isInGrid />
      </span>
    </span>
  );
}

/** The click shares of the products as parts of all clicks, which fill the bar. */
function ShareBar({ shares }: { readonly shares: readonly number[] }) {
  const starts = shares.map((_, i) => shares.slice(0, i).reduce((sum, share) => sum + share, 0));
  return (
    <svg class="share-parts" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      {shares.map((share, i) => (
        <rect key={i} x={starts[i]} y="0" width={share} height="6" />
      ))}
    </svg>
  );
}

export function Brands({ names, type }: { readonly names: readonly string[]; readonly type: Frequency }) {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return <span class="muted">–</span>;
  return (
    <span title={distinct.join(', ')}>
      {distinct.map((name, i) => (
        <Fragment key={name}>
          {i > 0 && ', '}
          <BrandLink name={name} type={type} isInGrid />
        </Fragment>
      ))}
    </span>
  );
}
