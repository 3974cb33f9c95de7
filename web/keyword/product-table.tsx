import type { Product } from '../api/wire.ts';
import { addressOf } from '../app/location.ts';
import { formatPercent } from '../parts/format.ts';
import type { ComparedKeyword } from './compared-keywords.ts';

export function ProductTable({ keyword }: { readonly keyword: ComparedKeyword }) {
  const { row } = keyword;
  if (!row) return null;
  const { products, brands, categories } = row.latest_data;
  const most = Math.max(1, ...products.flatMap((product) => [product.click_share, product.conversion_share]));
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
              <ProductRow key={i} product={product} brand={brands[i]} term={row.search_term} most={most} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface ProductRowProps {
  readonly product: Product;
  readonly brand: string | undefined;
  readonly term: string;
  /** The largest share, which fills its bar. */
  readonly most: number;
}

function ProductRow({ product, brand, term, most }: ProductRowProps) {
  return (
    <tr>
      <th scope="row">
        <span class="product-title">{product.title || 'No title'}</span>
        <span class="product-line muted">
          <a href={addressOf('/', { query: term, product: product.asin })} data-view title="Keywords with this product">
            <code>{product.asin}</code>
          </a>
          {brand && ` · ${brand}`}
        </span>
      </th>
      <td class="is-right">
        <Share percent={product.click_share} most={most} />
      </td>
      <td class="is-right">
        <Share percent={product.conversion_share} most={most} />
      </td>
    </tr>
  );
}

function Share({ percent, most }: { readonly percent: number; readonly most: number }) {
  return (
    <span class="share">
      <span class="share-bar" aria-hidden="true">
        <span style={{ width: `${(percent / most) * 100}%` }} />
      </span>
      {formatPercent(percent)}
    </span>
  );
}
