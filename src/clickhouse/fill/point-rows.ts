// The rows of segments and dictionary files as tables hold them.

import { foldBrand } from '../../domain/search-filter.ts';
import { parseTrigrams } from '../../domain/similarity.ts';
import { normalizeTerm } from '../../domain/term.ts';
import { countWords, parseWords, stemWord } from '../../domain/words.ts';
import { remembered } from '../remembered.ts';
import type { Row } from '../schema.ts';
import { categoryKeys } from '../tokens.ts';

/** What piece they are of is added when they are written. */
export type TermRow = Omit<Row<'terms'>, 'delta'>;
export type PointRow = Omit<Row<'points'>, 'segment'>;

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

// The same words, titles and brands stand in row after row.
const stemOf = remembered(stemWord);
const stemsOfTitle = remembered((title) => [...new Set(parseWords(normalizeTerm(title)).map(stemOf))]);
const brandKeyOf = remembered(foldBrand);
const categoryKeysOf = remembered(categoryKeys);

export function termRow(termId: number, term: string): TermRow {
  const words = parseWords(term);
  return {
    term_id: termId,
    term,
    word_count: Math.min(countWords(term), MAX_WORD_COUNT),
    words,
    stems: [...new Set(words.map(stemOf))],
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
  const row = {
    period,
    term_id: termId,
    rank,
    original,
    product_places: [] as number[],
    brand_places: [] as number[],
    asins: [] as string[],
    titles: [] as string[],
    clicks: [] as number[],
    conversions: [] as number[],
    brands: [] as string[],
    brand_keys: [] as string[],
    categories: [] as string[],
    category_keys: [] as string[],
    title_gap: -1,
  };
  for (const [i, { asin, title, click, conversion, brand, category }] of places.entries()) {
    if (asin !== null) {
      row.product_places.push(i + 1);
      row.asins.push(asin);
      row.titles.push(title ?? '');
      row.clicks.push(click ?? UNKNOWN_SHARE);
      row.conversions.push(conversion ?? UNKNOWN_SHARE);
    }
    if (brand !== null) {
      row.brand_places.push(i + 1);
      row.brands.push(brand);
      row.brand_keys.push(brandKeyOf(brand));
    }
    if (category !== null) row.categories.push(category);
  }
  row.category_keys = [...new Set(row.categories.flatMap(categoryKeysOf))];
  row.title_gap = titleGap(term, row.titles);
  return row;
}

/** 1 where a word of the term, compared by stems, stands in no title; -1 where all titles are empty. */
function titleGap(term: string, titles: readonly string[]): number {
  const known = titles.filter((title) => title !== '');
  if (known.length === 0) return -1;
  const missing = new Set(parseWords(term).map(stemOf));
  for (const title of known) for (const stem of stemsOfTitle(title)) missing.delete(stem);
  return missing.size > 0 ? 1 : 0;
}
