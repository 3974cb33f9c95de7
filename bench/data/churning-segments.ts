// Segments and dictionaries of the demo's churning weeks, written without the report files between: a hundred weeks of a million rows in
// minutes. Terms, products, brands and titles are those that `demo generate --churn` writes; shares are drawn.
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { putAsin } from '../../demo/asin.ts';
import { BYTE, type ByteSink, createByteSink, putByte, putInteger, putPiece } from '../../demo/byte-sink.ts';
import { type Churn, coreCount, createChurn } from '../../demo/churn.ts';
import { createSalt } from '../../demo/hash.ts';
import { putTitle } from '../../demo/product.ts';
import { createRanker } from '../../demo/ranking.ts';
import { completeWeeks } from '../../demo/report-calendar.ts';
import { chooseProducts, type ProductChoice } from '../../demo/search-report.ts';
import { createTermSpace, type TermSpace } from '../../demo/term-space.ts';
import { createTermValues, decodeTerm, headOf, putTerm } from '../../demo/term-text.ts';
import { createUniverse } from '../../demo/universe.ts';
import type { SnapshotRequest } from '../../src/snapshot/manifest/manifest.ts';

const SEED = 1;
const NOW = new Date('2026-11-15T12:00:00Z');
const BUFFER_BYTES = 1 << 20;
const MAX_ROW_BYTES = 4096;
const PLACES = [1, 2, 3] as const;
const SEGMENT_COLUMNS = [
  'term_id',
  ...['product', 'brand', 'category'].flatMap((name) => PLACES.map((n) => `${name}_${n}`)),
];

export interface ChurningSources {
  readonly periods: SnapshotRequest['periods'];
  /** Those that are known once the period is there, by period. */
  readonly dictionaries: readonly SnapshotRequest['dictionaries'][];
}

/** Numbers in order of first appearance. */
class Numbering {
  readonly #numbers = new Map<number, number>();

  get count(): number {
    return this.#numbers.size;
  }

  /** The number of a key; a new one is told of. */
  of(key: number, onNew: (number: number) => void): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(key, number);
    onNew(number);
    return number;
  }
}

interface World {
  readonly space: TermSpace;
  readonly churn: Churn;
  readonly choice: ProductChoice;
  /** One bit for each term that has been in a period. */
  readonly knownTerms: Uint8Array;
  readonly coreCount: number;
  readonly firstPassing: number;
  readonly products: Numbering;
  readonly brands: Numbering;
  readonly categories: Numbering;
}

/** The churn of a quarter, in as many periods as asked for; as months, because every month is seen by some plan. */
export async function writeChurningSegments({
  directory,
  terms,
  weeks,
  churn,
  onPeriod,
}: {
  readonly directory: string;
  readonly terms: number;
  readonly weeks: number;
  readonly churn: number;
  readonly onPeriod?: (number: number) => void;
}): Promise<ChurningSources> {
  await mkdir(directory, { recursive: true });
  const world = openWorld({ terms, weeks, churn });
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '2GB' });
  const connection = await instance.connect();
  const files = { terms: [] as string[], products: [] as string[], brands: [] as string[], categories: [] as string[] };
  const periods: SnapshotRequest['periods'][number][] = [];
  const dictionaries: SnapshotRequest['dictionaries'][] = [];
  for (const [n, week] of completeWeeks({ now: NOW, count: weeks }).entries()) {
    const written = await writePeriod({ world, connection, directory, week, n });
    for (const kind of ['terms', 'products', 'brands', 'categories'] as const) files[kind].push(written[kind]);
    const period = { frequency: 'monthly', year: 2016 + Math.floor(n / 12), number: 1 + (n % 12) } as const;
    periods.push({ period, segmentPath: written.segment });
    dictionaries.push({
      terms: [...files.terms],
      products: [...files.products],
      brands: [...files.brands],
      categories: [...files.categories],
    });
    onPeriod?.(n + 1);
  }
  connection.closeSync();
  instance.closeSync();
  return { periods, dictionaries };
}

function openWorld({ terms, weeks, churn }: { terms: number; weeks: number; churn: number }): World {
  const size = { terms, months: 0, weeks, socialTerms: 0, churn };
  const space = createTermSpace();
  const universe = createUniverse({ space, seed: SEED, terms: coreCount(size) });
  const ranker = createRanker({ space, universe, seed: SEED });
  const made = createChurn({ universe, ranker, seed: SEED, size });
  const [first] = completeWeeks({ now: NOW, count: weeks });
  if (!first) throw new RangeError('at least one week is needed');
  // Terms of a few weeks before the first may return in it.
  const passing = made.termsOf(first).ids.filter((id) => id >= universe.count);
  const firstPassing = passing.reduce((least, id) => Math.min(least, id), Number.POSITIVE_INFINITY);
  return {
    space,
    churn: made,
    choice: {
      space,
      values: createTermValues(),
      productSalt: createSalt({ seed: SEED, purpose: 'product' }),
      products: [],
    },
    knownTerms: new Uint8Array(universe.count + Math.ceil(terms * churn) * (weeks + 8)),
    coreCount: universe.count,
    firstPassing,
    products: new Numbering(),
    brands: new Numbering(),
    categories: new Numbering(),
  };
}

async function writePeriod({
  world,
  connection,
  directory,
  week,
  n,
}: {
  readonly world: World;
  readonly connection: DuckDBConnection;
  readonly directory: string;
  readonly week: Parameters<Churn['termsOf']>[0];
  readonly n: number;
}): Promise<Record<'segment' | 'terms' | 'products' | 'brands' | 'categories', string>> {
  const key = String(n).padStart(3, '0');
  const open = (name: string) => RowFile.open(join(directory, `${name}-${key}`));
  const files = await Promise.all(['segment', 'terms', 'products', 'brands', 'categories'].map(open));
  const [segment, terms, products, brands, categories] = files;
  if (!segment || !terms || !products || !brands || !categories) throw new Error('files were not opened');
  const rows = world.churn.termsOf(week);
  for (let row = 0; row < rows.count; row += 1) {
    putRow({ world, rows, row, files: { segment, terms, products, brands, categories } });
    for (const file of files) if (file.isFull) await file.flush();
  }
  const numbers = SEGMENT_COLUMNS.map((name) => `${name}::UINTEGER AS ${name}`);
  const share = (seed: number): string => `(hash(term_id, ${n}, ${seed}) % 4000)::USMALLINT`;
  const shares = PLACES.map((p) => `${share(p)} AS click_share_${p}, ${share(p + 3)} AS conversion_share_${p}`);
  const rank = '(row_number() OVER ())::UINTEGER AS rank';
  const text = (column: string): string => `id::UINTEGER AS id, ${column}`;
  return {
    segment: await segment.convert(connection, {
      columns: SEGMENT_COLUMNS,
      select: `${[...numbers, ...shares].join(', ')}, ${rank}, NULL::VARCHAR AS original`,
    }),
    terms: await terms.convert(connection, { columns: ['id', 'term'], select: text('term') }),
    products: await products.convert(connection, { columns: ['id', 'asin', 'title'], select: text('asin, title') }),
    brands: await brands.convert(connection, { columns: ['id', 'name'], select: text('name') }),
    categories: await categories.convert(connection, { columns: ['id', 'name'], select: text('name') }),
  };
}

function putRow({
  world,
  rows,
  row,
  files,
}: {
  readonly world: World;
  readonly rows: ReturnType<Churn['termsOf']>;
  readonly row: number;
  readonly files: Readonly<Record<'segment' | 'terms' | 'products' | 'brands' | 'categories', RowFile>>;
}): void {
  const { space, choice } = world;
  const template = rows.template[row] ?? 0;
  const head = headOf(space, template);
  decodeTerm(space, { template, combination: rows.combination[row] ?? 0 }, choice.values);
  const id = rows.ids[row] ?? 0;
  const term = id < world.coreCount ? id : world.coreCount + id - world.firstPassing;
  if (world.knownTerms[term] === 0) {
    world.knownTerms[term] = 1;
    putNamed(files.terms.sink, term, (sink) => {
      putTerm(sink, space, { template, values: choice.values });
      const tail = rows.tails.pieces[row] ?? 0;
      if (tail === 0) return;
      putByte(sink, BYTE.space);
      putPiece(sink, rows.tails.lexicon, tail - 1);
    });
  }
  const termHash = rows.hash[row] ?? 0;
  chooseProducts(choice, { head, termHash, rowHash: termHash });
  const segment = files.segment.sink;
  putInteger(segment, term);
  for (const product of choice.products) {
    putByte(segment, BYTE.comma);
    const number = world.products.of(product.number, (added) => {
      putNamed(files.products.sink, added, (sink) => {
        putAsin(sink, choice.productSalt, product.number);
        for (const byte of [BYTE.quote, BYTE.comma, BYTE.quote]) putByte(sink, byte);
        putTitle(sink, space, product);
      });
    });
    putInteger(segment, number);
  }
  for (const { brandPiece } of choice.products) putPieceNumber(world, { files, kind: 'brands', piece: brandPiece });
  const pieces = space.categoryPieces[space.heads.family[head] ?? 0] ?? [];
  for (const place of PLACES) {
    putPieceNumber(world, { files, kind: 'categories', piece: pieces[(place - 1) % pieces.length] ?? 0 });
  }
  putByte(segment, BYTE.newline);
}

function putPieceNumber(
  world: World,
  {
    files,
    kind,
    piece,
  }: {
    readonly files: Parameters<typeof putRow>[0]['files'];
    readonly kind: 'brands' | 'categories';
    readonly piece: number;
  },
): void {
  const number = world[kind].of(piece, (added) => {
    putNamed(files[kind].sink, added, (sink) => putPiece(sink, world.space.lexicon, piece));
  });
  putByte(files.segment.sink, BYTE.comma);
  putInteger(files.segment.sink, number);
}

/** A number and quoted texts. */
function putNamed(sink: ByteSink, number: number, putTexts: (sink: ByteSink) => void): void {
  putInteger(sink, number);
  putByte(sink, BYTE.comma);
  putByte(sink, BYTE.quote);
  putTexts(sink);
  putByte(sink, BYTE.quote);
  putByte(sink, BYTE.newline);
}

/** Rows as CSV, which DuckDB makes Parquet of. */
class RowFile {
  readonly sink = createByteSink(BUFFER_BYTES);
  readonly #path: string;
  readonly #file: Awaited<ReturnType<typeof open>>;

  private constructor(path: string, file: Awaited<ReturnType<typeof open>>) {
    this.#path = path;
    this.#file = file;
  }

  static async open(path: string): Promise<RowFile> {
    return new RowFile(path, await open(`${path}.csv`, 'w'));
  }

  get isFull(): boolean {
    return this.sink.length > BUFFER_BYTES - MAX_ROW_BYTES;
  }

  async convert(
    connection: DuckDBConnection,
    { columns, select }: { readonly columns: readonly string[]; readonly select: string },
  ): Promise<string> {
    await this.flush();
    await this.#file.close();
    const types = columns.map((name) => `'${name}': 'VARCHAR'`).join(', ');
    const source = `read_csv('${this.#path}.csv', header = false, auto_detect = false, columns = {${types}}, delim = ',', quote = '"', escape = '"')`;
    await connection.run(`COPY (SELECT ${select} FROM ${source}) TO '${this.#path}.parquet' (FORMAT parquet)`);
    await rm(`${this.#path}.csv`);
    return `${this.#path}.parquet`;
  }

  async flush(): Promise<void> {
    const { sink } = this;
    for (let from = 0; from < sink.length; ) {
      from += (await this.#file.write(sink.bytes, from, sink.length - from)).bytesWritten;
    }
    sink.length = 0;
  }
}
