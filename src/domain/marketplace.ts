// A marketplace is a shop in one country. Its code is the prefix of Amazon's report files (US, DE, UK …), or WM for
// Walmart. Codes outside the table are accepted from the operator: Amazon opens shops faster than we release.

export const WALMART = 'WM';

interface AmazonShop {
  readonly code: string;
  /** The identifier in SP-API reports. */
  readonly id: string;
  /** The shop's own name for its whole-site department. */
  readonly site: string;
  /** Where its reports are asked for. */
  readonly region: AmazonRegion;
}

/** North America, Europe with its neighbours, and the Far East. */
export const AMAZON_REGIONS = ['na', 'eu', 'fe'] as const;
export type AmazonRegion = (typeof AMAZON_REGIONS)[number];

const AMAZON_SHOPS: readonly AmazonShop[] = [
  { code: 'US', id: 'ATVPDKIKX0DER', site: 'Amazon.com', region: 'na' },
  { code: 'CA', id: 'A2EUQ1WTGCTBG2', site: 'Amazon.ca', region: 'na' },
  { code: 'MX', id: 'A1AM78C64UM0Y8', site: 'Amazon.com.mx', region: 'na' },
  { code: 'BR', id: 'A2Q3Y263D00KWC', site: 'Amazon.com.br', region: 'na' },
  { code: 'UK', id: 'A1F83G8C2ARO7P', site: 'Amazon.co.uk', region: 'eu' },
  { code: 'DE', id: 'A1PA6795UKMFR9', site: 'Amazon.de', region: 'eu' },
  { code: 'FR', id: 'A13V1IB3VIYZZH', site: 'Amazon.fr', region: 'eu' },
  { code: 'IT', id: 'APJ6JRA9NG5V4', site: 'Amazon.it', region: 'eu' },
  { code: 'ES', id: 'A1RKKUPIHCS9HS', site: 'Amazon.es', region: 'eu' },
  { code: 'NL', id: 'A1805IZSGTT6HS', site: 'Amazon.nl', region: 'eu' },
  { code: 'SE', id: 'A2NODRKZP88ZB9', site: 'Amazon.se', region: 'eu' },
  { code: 'PL', id: 'A1C3SOZRARQ6R3', site: 'Amazon.pl', region: 'eu' },
  { code: 'BE', id: 'AMEN7PMS3EDWL', site: 'Amazon.com.be', region: 'eu' },
  { code: 'IE', id: 'A28R8C7NBKEWEA', site: 'Amazon.ie', region: 'eu' },
  { code: 'TR', id: 'A33AVAJ2PDY3EV', site: 'Amazon.com.tr', region: 'eu' },
  { code: 'AE', id: 'A2VIGQ35RCS4UG', site: 'Amazon.ae', region: 'eu' },
  { code: 'SA', id: 'A17E79C6D8DWNP', site: 'Amazon.sa', region: 'eu' },
  { code: 'EG', id: 'ARBP9OOSHTCHU', site: 'Amazon.eg', region: 'eu' },
  { code: 'ZA', id: 'AE08WJ6YKNBMC', site: 'Amazon.co.za', region: 'eu' },
  { code: 'IN', id: 'A21TJRUUN4KGV', site: 'Amazon.in', region: 'eu' },
  { code: 'JP', id: 'A1VC38T7YXB528', site: 'Amazon.co.jp', region: 'fe' },
  { code: 'AU', id: 'A39IBJ37TRP1C6', site: 'Amazon.com.au', region: 'fe' },
  { code: 'SG', id: 'A19VAU5U5O7RUS', site: 'Amazon.sg', region: 'fe' },
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

/** The identifier of a shop in Amazon's API; undefined when the region has no such shop. */
export function findMarketplaceId(code: string, region: AmazonRegion): string | undefined {
  return AMAZON_SHOPS.find((shop) => shop.code === code && shop.region === region)?.id;
}

/** The codes of a region's shops. */
export function listMarketplaceCodes(region: AmazonRegion): readonly string[] {
  return AMAZON_SHOPS.filter((shop) => shop.region === region).map(({ code }) => code);
}

export function findMarketplaceById(id: string): string | undefined {
  return AMAZON_SHOPS.find((shop) => shop.id === id)?.code;
}
