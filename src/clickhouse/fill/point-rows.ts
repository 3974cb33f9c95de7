// The rows of segments and dictionary files as tables hold them.

import { foldBrand } from '../../domain/search-filter.ts';
import { parseTrigrams } from '../../domain/similarity.ts';
import { normalizeTerm } from '../../domain/term.ts';
import { countWords, parseWords, stemWord } from '../../domain/words.ts';
import { categoryKeys } from '../tokens.ts';

export interface TermRow {
  readonly term_id: number;
  readonly term: string;
  readonly word_count: number;
  readonly words: readonly string[];
  readonly stems: readonly string[];
  readonly trigrams: readonly string[];
}

export interface PointRow {
  readonly period: number;
  readonly term_id: number;
  readonly rank: number;
  readonly original: string;
  readonly product_places: readonly number[];
  readonly brand_places: readonly number[];
  readonly asins: readonly string[];
  readonly titles: readonly string[];
  readonly clicks: readonly number[];
  readonly conversions: readonly number[];
  readonly brands: readonly string[];
  readonly brand_keys: readonly string[];
  readonly categories: readonly string[];
  readonly category_keys: readonly string[];
  readonly title_gap: number;
}

/** What a segment says of a term at one place; null is nothing. */
export interface SegmentPlace {
  readonly asin: string | null;
  readonly title: string | null;
  readonly click: number | null;
  readonly conversion: number | null;
  readonly brand: string | null;
  readonly category: string | null;
}

const UNKNOWN_SHARE = -1;
const MAX_WORD_COUNT = 65_535;

export function termRow(termId: number, term: string): TermRow {
  const words = parseWords(term);
  return {
    term_id: termId,
    term,
    word_count: Math.min(countWords(term), MAX_WORD_COUNT),
    words,
    stems: [...new Set(words.map(stemWord))],
    trigrams: [...parseTrigrams(term)],
  };
}

export function pointRow({
  period,
  termId,
  term,
  original,
  rank,
  places,
}: {
  readonly period: number;
  readonly termId: number;
  /** Normalised. */
  readonly term: string;
  readonly original: string;
  readonly rank: number;
  readonly places: readonly SegmentPlace[];
}): PointRow {
  const numbered = places.map((each, i) => ({ ...each, place: i + 1 }));
  const products = numbered.flatMap(({ asin, ...each }) => (asin === null ? [] : [{ ...each, asin }]));
  const brands = numbered.flatMap(({ brand, place }) => (brand === null ? [] : [{ brand, place }]));
  const categories = places.flatMap(({ category }) => category ?? []);
  const titles = products.map(({ title }) => title ?? '');
  return {
    period,
    term_id: termId,
    rank,
    original,
    product_places: products.map(({ place }) => place),
    brand_places: brands.map(({ place }) => place),
    asins: products.map(({ asin }) => asin),
    titles,
    clicks: products.map(({ click }) => click ?? UNKNOWN_SHARE),
    conversions: products.map(({ conversion }) => conversion ?? UNKNOWN_SHARE),
    brands: brands.map(({ brand }) => brand),
    brand_keys: brands.map(({ brand }) => foldBrand(brand)),
    categories,
    category_keys: [...new Set(categories.flatMap(categoryKeys))],
    title_gap: titleGap(term, titles),
  };
}

/** 1 where a word of the term, compared by stems, stands in no title; -1 where all titles are empty. */
function titleGap(term: string, titles: readonly string[]): number {
  const known = titles.filter((title) => title !== '');
  if (known.length === 0) return -1;
  const missing = new Set(parseWords(term).map(stemWord));
  for (const title of known) for (const word of parseWords(normalizeTerm(title))) missing.delete(stemWord(word));
  return missing.size > 0 ? 1 : 0;
}
