// A marketplace is a shop in one country. Its code is the prefix of Amazon's report files (US, DE, UK …), or WM for
// Walmart. Codes outside the table are accepted from the operator: Amazon opens shops faster than we release.

export const WALMART = 'WM';

interface AmazonShop {
  readonly code: string;
  /** The identifier in SP-API reports. */
  readonly id: string;
  /** The shop's own name for its whole-site department. */
  readonly site: string;
}

const AMAZON_SHOPS: readonly AmazonShop[] = [
  { code: 'US', id: 'ATVPDKIKX0DER', site: 'Amazon.com' },
  { code: 'CA', id: 'A2EUQ1WTGCTBG2', site: 'Amazon.ca' },
  { code: 'MX', id: 'A1AM78C64UM0Y8', site: 'Amazon.com.mx' },
  { code: 'BR', id: 'A2Q3Y263D00KWC', site: 'Amazon.com.br' },
  { code: 'UK', id: 'A1F83G8C2ARO7P', site: 'Amazon.co.uk' },
  { code: 'DE', id: 'A1PA6795UKMFR9', site: 'Amazon.de' },
  { code: 'FR', id: 'A13V1IB3VIYZZH', site: 'Amazon.fr' },
  { code: 'IT', id: 'APJ6JRA9NG5V4', site: 'Amazon.it' },
  { code: 'ES', id: 'A1RKKUPIHCS9HS', site: 'Amazon.es' },
  { code: 'NL', id: 'A1805IZSGTT6HS', site: 'Amazon.nl' },
  { code: 'SE', id: 'A2NODRKZP88ZB9', site: 'Amazon.se' },
  { code: 'PL', id: 'A1C3SOZRARQ6R3', site: 'Amazon.pl' },
  { code: 'BE', id: 'AMEN7PMS3EDWL', site: 'Amazon.com.be' },
  { code: 'IE', id: 'A28R8C7NBKEWEA', site: 'Amazon.ie' },
  { code: 'TR', id: 'A33AVAJ2PDY3EV', site: 'Amazon.com.tr' },
  { code: 'AE', id: 'A2VIGQ35RCS4UG', site: 'Amazon.ae' },
  { code: 'SA', id: 'A17E79C6D8DWNP', site: 'Amazon.sa' },
  { code: 'EG', id: 'ARBP9OOSHTCHU', site: 'Amazon.eg' },
  { code: 'ZA', id: 'AE08WJ6YKNBMC', site: 'Amazon.co.za' },
  { code: 'IN', id: 'A21TJRUUN4KGV', site: 'Amazon.in' },
  { code: 'JP', id: 'A1VC38T7YXB528', site: 'Amazon.co.jp' },
  { code: 'AU', id: 'A39IBJ37TRP1C6', site: 'Amazon.com.au' },
  { code: 'SG', id: 'A19VAU5U5O7RUS', site: 'Amazon.sg' },
];

/** Names of whole-site departments, in lower case. Ranks inside one department are not ranks of the shop. */
export const WHOLE_SITE_DEPARTMENTS: ReadonlySet<string> = new Set(AMAZON_SHOPS.map((shop) => shop.site.toLowerCase()));

/** Reads a two-letter code in any case; GB is the same shop as UK. Undefined when it cannot be a code. */
export function parseMarketplace(text: string): string | undefined {
  if (!/^[A-Za-z]{2}$/.test(text)) return undefined;
  const code = text.toUpperCase();
  return code === 'GB' ? 'UK' : code;
}

/** Reads the country prefix of a file name. Only known codes count: any file name may start with two letters. */
export function parseMarketplacePrefix(prefix: string): string | undefined {
  const code = parseMarketplace(prefix);
  return code === WALMART || AMAZON_SHOPS.some((shop) => shop.code === code) ? code : undefined;
}

export function findMarketplaceById(id: string): string | undefined {
  return AMAZON_SHOPS.find((shop) => shop.id === id)?.code;
}
