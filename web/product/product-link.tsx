// The ways to the views of products and brands, from wherever one is named.
import type { Frequency } from '../api/wire.ts';
import { addressOf } from '../app/location.ts';

interface Options {
  readonly type: Frequency;
}

export function addressOfProducts(
  asins: readonly string[],
  { type, marketplace = '' }: Options & { readonly marketplace?: string },
): string {
  const named = asins.map((asin): [string, string] => ['asin', asin]);
  const shop: [string, string][] = marketplace === '' ? [] : [['marketplace', marketplace]];
  return addressOf('/product', new URLSearchParams([...named, ...typeParams(type), ...shop]));
}

export function addressOfBrand(name: string, { type }: Options): string {
  return addressOf('/brand', new URLSearchParams([['name', name], ...typeParams(type)]));
}

function typeParams(type: Frequency): [string, string][] {
  return type === 'weekly' ? [['type', type]] : [];
}

interface LinkOptions extends Options {
  /** Rows of a grid are reached with the arrow keys, what is in them with the pointer. */
  readonly isInGrid?: boolean;
}

interface ProductLinkProps extends LinkOptions {
  readonly asin: string;
  /** Empty where none is known. */
  readonly title: string;
}

export function ProductLink({ asin, title, type, isInGrid = false }: ProductLinkProps) {
  return (
    <a
      href={addressOfProducts([asin], { type })}
      data-view
      title={title ? `${title} (${asin})` : asin}
      {...(isInGrid ? { tabIndex: -1 } : {})}
    >
      {title || asin}
    </a>
  );
}

export function BrandLink({ name, type, isInGrid = false }: LinkOptions & { readonly name: string }) {
  return (
    <a
      href={addressOfBrand(name, { type })}
      data-view
      title={`Keywords of ${name} over time`}
      {...(isInGrid ? { tabIndex: -1 } : {})}
    >
      {name}
    </a>
  );
}
