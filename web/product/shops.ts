// The shops that reports come from, and the addresses of their product pages.

export const WALMART = 'WM';

interface Shop {
  readonly code: string;
  readonly name: string;
  readonly host: string;
}

const AMAZON_HOSTS: Readonly<Record<string, string>> = {
  US: 'com',
  CA: 'ca',
  MX: 'com.mx',
  BR: 'com.br',
  UK: 'co.uk',
  DE: 'de',
  FR: 'fr',
  IT: 'it',
  ES: 'es',
  NL: 'nl',
  SE: 'se',
  PL: 'pl',
  BE: 'com.be',
  IE: 'ie',
  TR: 'com.tr',
  AE: 'ae',
  SA: 'sa',
  EG: 'eg',
  ZA: 'co.za',
  IN: 'in',
  JP: 'co.jp',
  AU: 'com.au',
  SG: 'sg',
};

const SHOPS: readonly Shop[] = [
  ...Object.entries(AMAZON_HOSTS).map(([code, end]) => ({ code, name: `Amazon.${end}`, host: `amazon.${end}` })),
  { code: WALMART, name: 'Walmart.com', host: 'walmart.com' },
];

/** Undefined for a marketplace that is not known here. */
export function findShop(code: string | undefined): Shop | undefined {
  return SHOPS.find((shop) => shop.code === code);
}

/** `smile.amazon.de` is DE; `amazon.de.example.com` is nobody's. */
export function marketplaceOfHost(host: string): string | undefined {
  return SHOPS.find((shop) => host === shop.host || host.endsWith(`.${shop.host}`))?.code;
}

export function addressInShop({ code, host }: Shop, asin: string): string {
  return `https://www.${host}/${code === WALMART ? 'ip' : 'dp'}/${encodeURIComponent(asin)}`;
}
