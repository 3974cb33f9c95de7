// Products in a text that somebody typed or pasted: ASINs in any case and with anything between them, and links to product pages.
import { findShop, marketplaceOfHost, WALMART } from './shops.ts';

export interface PastedProducts {
  /** Distinct, in upper case, in their order. */
  readonly asins: readonly string[];
  /** Where all links lead to; undefined without links, or where they lead to several. */
  readonly marketplace: string | undefined;
}

/** What the service compares at once. */
export const MAX_PRODUCTS = 10;
const MAX_CHARACTERS = 20_000;
/** Commas belong to links too, so only those end a word that another product or nothing follows. */
const BETWEEN = /[\s;|"'<>()[\]]+|,+(?=\s|$|https?:|www\.|(?:smile\.)?amazon\.|[A-Za-z0-9]{10}(?![A-Za-z0-9]))/;
const LINK = /^(?:https?:\/\/)?([a-z0-9.-]+\.[a-z]{2,})(?::\d+)?(\/.*)$/i;
/** Where Amazon's addresses have the product. */
const AMAZON_PATH =
  /\/(?:dp|gp\/product|gp\/aw\/d|gp\/aw\/reviews|gp\/offer-listing|exec\/obidos\/asin|product-reviews|o\/asin|asin)\/(?:[a-z-]+\/)?([a-z0-9]{10})(?![a-z0-9])/i;
const WALMART_PATH = /\/ip\/(?:[^/?#]+\/)?(\d{5,15})(?!\d)/i;
const LABEL = /^(?:asins?|isbn)[:=]?$/i;

/** Undefined unless the text is about products alone: any link to one, or nothing but their numbers. */
export function readPastedProducts(text: string, marketplace: string | undefined): PastedProducts | undefined {
  const words = text
    .slice(0, MAX_CHARACTERS)
    .split(BETWEEN)
    .filter((word) => word !== '' && !LABEL.test(word));
  const links = words.flatMap((word) => readLink(word) ?? []);
  const numbers = words.map((word) => readNumber(word.replace(/^asin[:=]/i, '').replace(/[.,]+$/, ''), marketplace));
  const isOnlyNumbers = words.every((word, i) => numbers[i] !== undefined || readLink(word) !== undefined);
  if (links.length === 0 && !isOnlyNumbers) return undefined;
  const asins = words.flatMap((word, i) => readLink(word)?.asin ?? numbers[i] ?? []);
  if (asins.length === 0) return undefined;
  const shops = [...new Set(links.map((link) => link.marketplace))];
  return { asins: [...new Set(asins)], marketplace: shops.length === 1 ? shops[0] : undefined };
}

function readLink(word: string): { readonly asin: string; readonly marketplace: string } | undefined {
  const [, host = '', path = ''] = LINK.exec(word) ?? [];
  const marketplace = marketplaceOfHost(host.toLowerCase());
  if (marketplace === undefined) return undefined;
  const shape = marketplace === WALMART ? WALMART_PATH : AMAZON_PATH;
  // Links of advertisements have the product's own address as a parameter.
  const asin = (shape.exec(path) ?? shape.exec(decode(path)))?.[1];
  return asin === undefined ? undefined : { asin: asin.toUpperCase(), marketplace };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** ASINs begin with B and a digit, or are the ISBN of a book. Many words have ten letters. */
function readNumber(word: string, marketplace: string | undefined): string | undefined {
  const number = word.toUpperCase();
  if (findShop(marketplace)?.code === WALMART) return /^\d{5,15}$/.test(number) ? number : undefined;
  return /^B\d[0-9A-Z]{8}$/.test(number) || isIsbn(number) ? number : undefined;
}

function isIsbn(text: string): boolean {
  if (!/^\d{9}[\dX]$/.test(text)) return false;
  const digits = [...text].map((digit) => (digit === 'X' ? 10 : Number(digit)));
  return digits.reduce((sum, digit, i) => sum + digit * (10 - i), 0) % 11 === 0;
}
