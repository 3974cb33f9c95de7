// A digest of rows that is the same whatever their order, here and in the database.
import { hash } from 'node:crypto';
import { type Sql, sql } from '../sql.ts';
import type { Written } from './piece.ts';
import type { PointRow, TermRow } from './point-rows.ts';

export class RowDigest {
  #rowCount = 0;
  #bits = 0n;

  add(text: string): void {
    this.#rowCount += 1;
    this.#bits ^= hash('md5', text, 'buffer').readBigUInt64LE(0);
  }

  /** Those of another part. */
  addAll({ rowCount, digest }: Written): void {
    this.#rowCount += rowCount;
    this.#bits ^= BigInt(digest);
  }

  get written(): Written {
    return { rowCount: this.#rowCount, digest: String(this.#bits) };
  }
}

/** Of the rows of a query; `text` as below. */
export function digestOf(text: Sql): Sql {
  return sql`toString(groupBitXor(reinterpretAsUInt64(substring(MD5(${text}), 1, 8))))`;
}

export function textOfPoint(row: PointRow): string {
  const { period, term_id, rank, original, asins, titles, clicks, conversions, brands, categories } = row;
  const { product_places, brand_places, title_gap } = row;
  const numbers = [[period, term_id, rank, title_gap], product_places, brand_places, clicks, conversions];
  const texts = [[original], asins, titles, brands, row.brand_keys, categories, row.category_keys];
  return [...numbers.map((each) => each.join(',')), ...texts.map((each) => each.join('\n'))].join('\t');
}

export const POINT_TEXT = sql`arrayStringConcat([
  arrayStringConcat([toString(period), toString(term_id), toString(rank), toString(title_gap)], ','),
  arrayStringConcat(arrayMap(x -> toString(x), product_places), ','), arrayStringConcat(arrayMap(x -> toString(x), brand_places), ','),
  arrayStringConcat(arrayMap(x -> toString(x), clicks), ','), arrayStringConcat(arrayMap(x -> toString(x), conversions), ','),
  original, arrayStringConcat(asins, ${'\n'}), arrayStringConcat(titles, ${'\n'}), arrayStringConcat(brands, ${'\n'}),
  arrayStringConcat(brand_keys, ${'\n'}), arrayStringConcat(categories, ${'\n'}), arrayStringConcat(category_keys, ${'\n'})], ${'\t'})`;

export function textOfTerm({ term_id, term, word_count, words, stems, trigrams }: TermRow): string {
  return [term_id, word_count, term, words.join('\n'), stems.join('\n'), trigrams.join('\n')].join('\t');
}

export const TERM_TEXT = sql`arrayStringConcat([toString(term_id), toString(word_count), term,
  arrayStringConcat(words, ${'\n'}), arrayStringConcat(stems, ${'\n'}), arrayStringConcat(trigrams, ${'\n'})], ${'\t'})`;
