// Fetching the texts of new slots from the dictionary deltas. Texts are needed only once the slots of a build are known, so
// each delta is read at most once, and in the usual case only the newest.
import { OperatorError } from '../../domain/error.ts';
import { NONE_32 } from '../format/format.ts';
import type { DictionaryFiles } from '../manifest/manifest.ts';
import type { BuildState } from './build-state.ts';
import { emptyText, type GrowingNumbers, type GrowingText, pushBytes } from './growing.ts';
import { FIELD_END_BYTE, type ParquetReader } from './parquet-reader.ts';
import { findSlot, type SlotMap, type SlotMaps } from './publish-period.ts';
import { TextCoder } from './text-coder.ts';

/** Rows held at a time: those of a delta come in another order than the slots, so they wait until all of them are there. */
const MAX_HELD_ROWS = 1_000_000;

/** The rows of some new slots, as ranges of the blocks that they came in: no object for each of them. */
interface NewRows {
  readonly firstSlot: number;
  readonly count: number;
  readonly blocks: readonly Buffer[];
  readonly blockOf: Uint32Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The texts of all new slots, in the order of slots; a product has two, its ASIN and its title. */
export async function addTexts(
  state: BuildState,
  { reader, maps, paths }: { readonly reader: ParquetReader; readonly maps: SlotMaps; readonly paths: DictionaryFiles },
): Promise<void> {
  const { terms, brands, asins, slotTermIds, brandIds, productIds } = state;
  for (const { kind, column, ids, texts } of [
    { kind: 'terms', column: 'term', ids: slotTermIds, texts: terms },
    { kind: 'brands', column: 'name', ids: brandIds, texts: brands },
  ] as const) {
    const source = { reader, paths: paths[kind], columns: [column], ids, slots: maps[kind] };
    for await (const rows of readNewRows(source)) pushRows([texts], rows);
  }
  const columns = ['asin', 'title'];
  const source = { reader, paths: paths.products, columns, ids: productIds, slots: maps.products };
  const coder = new TextCoder({ words: state.titleWords, coded: state.titles });
  for await (const rows of readNewRows(source)) {
    const titles = emptyText();
    pushRows([asins, titles], rows);
    coder.push(titles);
  }
}

function pushRows(columns: readonly GrowingText[], rows: NewRows): void {
  for (let row = 0; row < rows.count; row += 1) {
    const block = rows.blocks[rows.blockOf[row] ?? 0] ?? Buffer.alloc(0);
    let start = rows.starts[row] ?? 0;
    for (const column of columns) {
      const end = fieldEnd(block, { start, end: rows.ends[row] ?? 0 });
      pushBytes(column, block, { start, end });
      start = end + 1;
    }
  }
}

function fieldEnd(block: Buffer, { start, end }: { readonly start: number; readonly end: number }): number {
  let at = start;
  while (at < end && block[at] !== FIELD_END_BYTE) at += 1;
  return at;
}

/** Categories are few: all of them, by id. */
export async function readCategories(reader: ParquetReader, paths: readonly string[]): Promise<readonly string[]> {
  const names: string[] = [];
  await reader.readDictionary({
    paths,
    columns: ['name'],
    wantedIds: undefined,
    visit: ({ id, bytes, start, end }) => {
      names[id] = bytes.toString('utf8', start, end);
    },
  });
  return Array.from(names, (name) => name ?? '');
}

interface NewRowSource {
  readonly reader: ParquetReader;
  readonly paths: readonly string[];
  readonly columns: readonly string[];
  readonly ids: GrowingNumbers<Uint32Array>;
  readonly slots: SlotMap;
}

/** The rows of all new slots, in the order of slots, some at a time. */
async function* readNewRows(source: NewRowSource): AsyncGenerator<NewRows> {
  const { count, savedCount } = source.ids;
  for (let firstSlot = savedCount; firstSlot < count; firstSlot += MAX_HELD_ROWS) {
    yield await readSlots(source, { firstSlot, count: Math.min(MAX_HELD_ROWS, count - firstSlot) });
  }
}

async function readSlots(
  { reader, paths, columns, ids, slots }: NewRowSource,
  { firstSlot, count }: { readonly firstSlot: number; readonly count: number },
): Promise<NewRows> {
  const blocks: Buffer[] = [];
  const rows = {
    firstSlot,
    count,
    blocks,
    blockOf: new Uint32Array(count).fill(NONE_32),
    starts: new Uint32Array(count),
    ends: new Uint32Array(count),
  };
  let foundCount = 0;
  await reader.readDictionary({
    // Newest first: what is new stands there. Of the several titles that earlier versions stored for one product the newest counts.
    paths: [...paths].reverse(),
    columns,
    wantedIds: ids.values.subarray(firstSlot, firstSlot + count),
    isDone: () => foundCount === count,
    visit: ({ id, bytes, start, end }) => {
      const at = findSlot(slots, id) - firstSlot;
      if (at < 0 || at >= count || rows.blockOf[at] !== NONE_32) return;
      if (blocks.at(-1) !== bytes) blocks.push(bytes);
      rows.blockOf[at] = blocks.length - 1;
      rows.starts[at] = start;
      rows.ends[at] = end;
      foundCount += 1;
    },
  });
  if (foundCount < count) {
    throw new OperatorError(`The dictionaries lack ${count - foundCount} of the ${columns[0]}s that segments name.`, {
      hint: 'Run keyrank verify: a dictionary file is missing or damaged.',
    });
  }
  return rows;
}
