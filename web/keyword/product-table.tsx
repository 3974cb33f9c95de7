import type { Frequency, Product } from '../api/wire.ts';
import { formatPercent } from '../parts/format.ts';
import { BrandLink, ProductLink } from '../product/product-link.tsx';
import type { ComparedKeyword } from './compared-keywords.ts';

export function ProductTable({ keyword, type }: { readonly keyword: ComparedKeyword; readonly type: Frequency }) {
  const { row } = keyword;
  if (!row) return null;
  const { products, brands, categories } = row.latest_data;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Top products</h2>
        <span class="muted">{[...new Set(categories)].join(', ')}</span>
      </header>
      {products.length === 0 ? (
        <p class="muted">The report names no products for this keyword.</p>
      ) : (
        <table class="plain-table product-table">
          <thead>
            <tr>
              <th scope="col">Product</th>
              <th scope="col" class="is-right">
                Clicks
              </th>
              <th scope="col" class="is-right">
                Conversions
              </th>
            </tr>
          </thead>
          <tbody>
            {products.map((product, i) => (
              <ProductRow key={i} product={product} type={type} />
            ))}
          </tbody>
        </table>
      )}
      <Brands names={[...new Set(brands)]} type={type} />
    </section>
  );
}

/** Reports name the top brands of a keyword beside its top products, and do not say whose product is whose. */
function Brands({ names, type }: { readonly names: readonly string[]; readonly type: Frequency }) {
  if (names.length === 0) return null;
  return (
    <dl class="top-brands">
      <dt>Top brands</dt>
      {names.map((name) => (
        <dd key={name}>
          <BrandLink name={name} type={type} />
        </dd>
      ))}
    </dl>
  );
}

function ProductRow({ product, type }: { readonly product: Product; readonly type: Frequency }) {
  return (
    <tr>
      <th scope="row">
        <span class="product-title">
          <ProductLink asin={product.asin} title={product.title} type={type} />
        </span>
        <code class="product-line muted">{product.asin}</code>
      </th>
      <td class="is-right" data-label="Clicks">
        <Share percent={product.click_share} />
      </td>
      <td class="is-right" data-label="Conversions">
        <Share percent={product.conversion_share} />
      </td>
    </tr>
  );
}

/** The whole bar is all clicks, or all conversions. */
function Share({ percent }: { readonly percent: number }) {
  return (
    <span class="share">
      <span class="share-bar" aria-hidden="true">
        <span style={{ width: `${percent}%` }} />
      </span>
      {formatPercent(percent)}
    </span>
  );
}
