// Tracked products: where they stand in the newest month, and what a digest tells of them.
import { useEffect } from 'preact/hooks';
import type { Digest, Frequency } from '../api/wire.ts';
import { ExportButton } from '../parts/export-button.tsx';
import { formatNumber } from '../parts/format.ts';
import { ProductLink } from '../product/product-link.tsx';
import { findTrackedProduct, loadTrackedProducts, trackedProducts } from '../product/tracked-products.ts';
import { addressOfKeyword } from '../search/result-grid.tsx';

const NO_PARAMS = new URLSearchParams();
/** Keywords that a digest names for each product. */
const NAMED_KEYWORDS = 3;

export function ProductPanel() {
  useEffect(() => {
    // Without the scope for it there are none to show.
    loadTrackedProducts().catch(() => {});
  }, []);
  const products = trackedProducts.value;
  if (!products || products.length === 0) return null;
  return (
    <section class="panel" aria-label="Tracked products">
      <header class="panel-head">
        <h2>Products</h2>
        <ExportButton path="/v1/tracked-products" params={NO_PARAMS} count={products.length} />
      </header>
      <ul class="mini-list">
        {products.map(({ id, asin, snapshot }) => (
          <li key={id}>
            <ProductLink asin={asin} title={snapshot.title} type="monthly" />
            <Standing {...snapshot} />
          </li>
        ))}
      </ul>
    </section>
  );
}

type ChangedProduct = Digest['products'][number];

export function DigestProducts({ products, type }: Pick<Digest, 'products' | 'type'>) {
  if (products.length === 0) return null;
  return (
    <ul class="mini-list digest-products">
      {products.map((product) => (
        <li key={product.tracked_product_id}>
          <ProductLink asin={product.asin} title={findTrackedProduct(product.asin)?.snapshot.title ?? ''} type={type} />
          <Standing {...product} />
          <ChangedKeywords rows={product.rows} type={type} />
        </li>
      ))}
    </ul>
  );
}

function Standing({ keywords, entered, left }: Pick<ChangedProduct, 'keywords' | 'entered' | 'left'>) {
  return (
    <>
      <span class="numbers">
        {formatNumber(keywords)} <small class="muted">{keywords === 1 ? 'keyword' : 'keywords'}</small>
      </span>
      <span class="numbers">
        {entered === 0 && left === 0 ? <span class="muted">no change</span> : <Won entered={entered} left={left} />}
      </span>
    </>
  );
}

function Won({ entered, left }: Pick<ChangedProduct, 'entered' | 'left'>) {
  return (
    <>
      <span class="change is-up">
        +{formatNumber(entered)}
        <span class="spoken"> entered, </span>
      </span>{' '}
      <span class="change is-down">
        −{formatNumber(left)}
        <span class="spoken"> left</span>
      </span>
    </>
  );
}

/** The most searched of those that it won, lost, or holds at another place. */
function ChangedKeywords({ rows, type }: { readonly rows: ChangedProduct['rows']; readonly type: Frequency }) {
  if (rows.length === 0) return null;
  return (
    <ul class="digest-changes">
      {rows.slice(0, NAMED_KEYWORDS).map(({ search_term: term, place, previous_place: before }) => (
        <li key={term}>
          <a href={addressOfKeyword(term, { type })} data-view title={term}>
            {term}
          </a>{' '}
          <small class="muted">
            {place === null ? `left place ${before}` : before === null ? `entered at ${place}` : `${before} → ${place}`}
          </small>
        </li>
      ))}
    </ul>
  );
}
