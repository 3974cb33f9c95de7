// A Top Search Terms report as Amazon writes it: a metadata line, a header of 21 columns, every field in quotation marks.

import type { Period } from '../src/domain/period.ts';
import { periodDates, periodKey } from '../src/domain/period.ts';
import { putAsin, putIsbn } from './asin.ts';
import { BYTE, type ByteSink, putByte, putHundredths, putInteger, putPiece, putText } from './byte-sink.ts';
import { createShares, drawShares, type Shares, UNKNOWN_SHARE } from './click-share.ts';
import { createSalt, hashWith, mix32, type Salt, unitOf } from './hash.ts';
import { canAnchor, createProduct, MAX_POOL, NO_ANCHOR, type Product, putTitle } from './product.ts';
import { reportMetadata } from './report-name.ts';
import type { TermSpace } from './term-space.ts';
import { createTermValues, decodeTerm, headOf, putTerm, type TermValues } from './term-text.ts';
import { planTwins, type Twin } from './twin.ts';
import type { Tails, Universe } from './universe.ts';

/** Longest row that can occur, with room to spare. */
export const MAX_ROW_BYTES = 4096;

const BLANK_BRAND_SHARE = 0.13;
const LONE_PRODUCT_SHARE = 0.005;
const PRODUCTS = 3;
const POOL_SPREAD = 2.2;

const PRODUCT_COLUMNS = ['ASIN', 'Product Title', 'Click Share', 'Conversion Share'];
const HEADER = [
  'Search Frequency Rank',
  'Search Term',
  'Top Clicked Brand #1',
  'Top Clicked Brands #2',
  'Top Clicked Brands #3',
  'Top Clicked Category #1',
  'Top Clicked Category #2',
  'Top Clicked Category #3',
  ...[1, 2, 3].flatMap((place) => PRODUCT_COLUMNS.map((column) => `Top Clicked Product #${place}: ${column}`)),
  'Reporting Date',
];

export interface SearchReportOptions {
  readonly space: TermSpace;
  readonly universe: Universe;
  readonly seed: number;
  readonly period: Period;
  /** Term numbers from rank 1 on; without it the terms are in order already. */
  readonly order?: Uint32Array;
  readonly rows: number;
}

export interface SearchReport {
  readonly rows: number;
  putHeading(sink: ByteSink): void;
  /** Rows must be asked for in order, from rank 1. */
  putRow(sink: ByteSink, rank: number): void;
}

/** What the products of a term follow from; the three of the last term. */
export interface ProductChoice {
  readonly space: TermSpace;
  readonly values: TermValues;
  readonly productSalt: Salt;
  readonly products: Product[];
}

interface RowWriter extends SearchReportOptions, ProductChoice {
  readonly shares: Shares;
  readonly brandSalt: Salt;
  readonly periodSalt: Salt;
  readonly lastColumns: Uint8Array;
}

export function createSearchReport(options: SearchReportOptions): SearchReport {
  const { seed, period, rows, order } = options;
  const writer: RowWriter = {
    ...options,
    shares: createShares(),
    values: createTermValues(),
    productSalt: createSalt({ seed, purpose: 'product' }),
    brandSalt: createSalt({ seed, purpose: 'blank brand' }),
    periodSalt: createSalt({ seed, purpose: `row ${period.frequency} ${periodKey(period)}` }),
    lastColumns: Buffer.from(`"${periodDates(period).end}"\n`),
    products: [],
  };
  const twins = planTwins(rows);
  let twinsPut = 0;
  return {
    rows,
    putHeading: (sink) => putText(sink, `${reportMetadata(period)}\n${HEADER.map((name) => `"${name}"`).join(',')}\n`),
    putRow(sink, rank) {
      const twin = twins.get(rank);
      if (twin) twinsPut += 1;
      const place = twin ? twin.place : rank - 1 - twinsPut;
      putRow(sink, writer, { rank, term: order ? (order[place] ?? 0) : place, twin });
    },
  };
}

function putRow(
  sink: ByteSink,
  writer: RowWriter,
  row: { readonly rank: number; readonly term: number; readonly twin: Twin | undefined },
): void {
  const { space, universe, values, shares } = writer;
  const template = universe.template[row.term] ?? 0;
  const termHash = universe.hash[row.term] ?? 0;
  const rowHash = hashWith(writer.periodSalt, termHash);
  decodeTerm(space, { template, combination: universe.combination[row.term] ?? 0 }, values);
  putByte(sink, BYTE.quote);
  putInteger(sink, row.rank);
  putBetween(sink);
  if (row.twin) putText(sink, row.twin.mark);
  putTerm(sink, space, { template, values });
  if (universe.tails) putTail(sink, universe.tails, row.term);
  putBetween(sink);
  chooseProducts(writer, { head: headOf(space, template), termHash, rowHash });
  putBrands(sink, writer, termHash);
  putCategories(sink, writer, { head: headOf(space, template), termHash });
  drawShares(shares, { hash: rowHash, depth: row.rank / writer.rows });
  const isShort = unitOf(mix32(termHash + 5)) < LONE_PRODUCT_SHARE;
  for (let place = 0; place < PRODUCTS; place += 1) {
    const product = writer.products[place];
    if (product && !(isShort && place === PRODUCTS - 1)) putProduct(sink, writer, { product, place });
    else for (let column = 0; column < PRODUCT_COLUMNS.length; column += 1) putBetween(sink);
  }
  sink.length -= 1;
  sink.bytes.set(writer.lastColumns, sink.length);
  sink.length += writer.lastColumns.length;
}

function putTail(sink: ByteSink, { lexicon, pieces }: Tails, term: number): void {
  const tail = pieces[term] ?? 0;
  if (tail === 0) return;
  putByte(sink, BYTE.space);
  putPiece(sink, lexicon, tail - 1);
}

/** Mostly the same products in every period; now and then the second overtakes the first or a newcomer appears. */
export function chooseProducts(
  choice: ProductChoice,
  { head, termHash, rowHash }: { readonly head: number; readonly termHash: number; readonly rowHash: number },
): void {
  const { space, values, products, productSalt } = choice;
  const start = Math.floor(MAX_POOL * unitOf(mix32(termHash + 1)) ** POOL_SPREAD);
  const turn = (rowHash & 7) === 0 ? 1 : 0;
  const newcomer = ((rowHash >>> 3) & 7) === 0 ? 5 : 0;
  for (let place = 0; place < PRODUCTS; place += 1) {
    const rank = (place + turn) % PRODUCTS;
    const value = values.count === 0 ? NO_ANCHOR : (values.values[rank % values.count] ?? 0);
    const anchor = value !== NO_ANCHOR && canAnchor(space, value) ? value : NO_ANCHOR;
    const index = (start + rank + (rank === PRODUCTS - 1 ? newcomer : 0)) % MAX_POOL;
    products[place] = createProduct(space, productSalt, { head, anchor, index });
  }
}

function putBrands(sink: ByteSink, writer: RowWriter, termHash: number): void {
  const { space, products } = writer;
  const invented = space.titles.inventedBrandPieces;
  let first = -1;
  let second = -1;
  for (let place = 0; place < PRODUCTS; place += 1) {
    const product = products[place];
    if (!product) continue;
    let piece = product.brandPiece;
    if (piece === first || piece === second) piece = invented[mix32(termHash + place) % invented.length] ?? piece;
    const isBlank = place === 0 && unitOf(hashWith(writer.brandSalt, termHash)) < BLANK_BRAND_SHARE;
    if (!isBlank) putPiece(sink, space.lexicon, piece);
    putBetween(sink);
    if (place === 0) first = piece;
    else second = piece;
  }
}

/** The family's own category first, nearly always; fewer than three categories are common. */
function putCategories(
  sink: ByteSink,
  writer: RowWriter,
  { head, termHash }: { readonly head: number; readonly termHash: number },
): void {
  const { space } = writer;
  const pieces = space.categoryPieces[space.heads.family[head] ?? 0] ?? [];
  const draw = unitOf(mix32(termHash + 3));
  const turn = draw < 0.04 ? 1 : 0;
  const count = draw < 0.55 ? 3 : draw < 0.82 ? 2 : 1;
  for (let place = 0; place < PRODUCTS; place += 1) {
    if (place < count) putPiece(sink, space.lexicon, pieces[(place + turn) % pieces.length] ?? 0);
    putBetween(sink);
  }
}

function putProduct(
  sink: ByteSink,
  writer: RowWriter,
  { product, place }: { readonly product: Product; readonly place: number },
): void {
  const { space, productSalt, shares } = writer;
  const isBook = space.families[space.heads.family[product.head] ?? 0]?.isBook ?? false;
  // Paper books are known by their ISBN, electronic ones by an ASIN.
  if (isBook && product.index % 3 !== 2) putIsbn(sink, productSalt, product.number);
  else putAsin(sink, productSalt, product.number);
  putBetween(sink);
  putTitle(sink, space, product);
  putBetween(sink);
  putHundredths(sink, shares.click[place] ?? 0);
  putBetween(sink);
  const conversion = shares.conversion[place] ?? 0;
  if (conversion !== UNKNOWN_SHARE) putHundredths(sink, conversion);
  putBetween(sink);
}

/** Closes a field and opens the next. */
function putBetween(sink: ByteSink): void {
  putByte(sink, BYTE.quote);
  putByte(sink, BYTE.comma);
  putByte(sink, BYTE.quote);
}
