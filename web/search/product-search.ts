// The search box takes products too: ASINs and links to product pages lead to the view of products.

import { useRef } from 'preact/hooks';
import type { Frequency } from '../api/wire.ts';
import { marketplaceParams, navigate } from '../app/location.ts';
import { usePeriodsAnswer } from '../parts/periods.ts';
import { showToast } from '../parts/toast.tsx';
import { MAX_PRODUCTS, type PastedProducts, readPastedProducts } from '../product/pasted-products.ts';
import { addressOfProducts } from '../product/product-link.tsx';

export interface ProductSearch {
  /** The ASINs in a text that is about products, in one line; undefined otherwise. */
  readonly summarize: (text: string) => string | undefined;
  /** Whether the text was about products, whose view is open then. */
  readonly open: (text: string) => boolean;
}

export function useProductSearch(type: Frequency): ProductSearch {
  const { answer } = usePeriodsAnswer();
  const here = marketplaceParams().marketplace ?? answer?.marketplace;
  // A link leads to its own shop, if there is data of it.
  const pastedBefore = useRef<PastedProducts>(undefined);
  const read = (text: string) => readPastedProducts(text, here);
  return {
    summarize: (text) => {
      const pasted = read(text);
      pastedBefore.current = pasted;
      return pasted?.asins.join(' ');
    },
    open: (text) => {
      const pasted = read(text);
      if (!pasted) return false;
      const { asins } = pasted;
      const before = pastedBefore.current;
      const isPasted = asins.every((asin) => before?.asins.includes(asin));
      const marketplace = pasted.marketplace ?? (isPasted ? before?.marketplace : undefined);
      if (asins.length > MAX_PRODUCTS) {
        showToast(`${MAX_PRODUCTS} products at most: ${asins.length - MAX_PRODUCTS} left out.`);
      }
      const isHeld = marketplace !== undefined && answer?.marketplaces.includes(marketplace);
      navigate(addressOfProducts(asins.slice(0, MAX_PRODUCTS), { type, ...(isHeld && { marketplace }) }));
      return true;
    },
  };
}
