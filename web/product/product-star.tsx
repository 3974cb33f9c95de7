import { useEffect } from 'preact/hooks';
import { Icon } from '../parts/icons.tsx';
import { findTrackedProduct, isProductPending, loadTrackedProducts, toggleTrackedProduct } from './tracked-products.ts';

/** Tracks a product, or stops to. */
export function ProductStar({ asin }: { readonly asin: string }) {
  const isTracked = findTrackedProduct(asin) !== undefined;
  useEffect(() => {
    // Without the scope for it there is no star to light.
    loadTrackedProducts().catch(() => {});
  }, []);
  return (
    <button
      type="button"
      class="button star has-text"
      aria-pressed={isTracked}
      aria-label={`Track ${asin}${isTracked ? ': tracked' : ''}`}
      title={isTracked ? 'Stop tracking' : 'Track this product'}
      disabled={isProductPending(asin)}
      onClick={() => toggleTrackedProduct(asin)}
    >
      <Icon name="star" isFilled={isTracked} />
      <span>{isTracked ? 'Tracked' : 'Track'}</span>
    </button>
  );
}
