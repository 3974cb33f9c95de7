// Words, brands, categories and products of a snapshot, picked by how many keywords have them.
import { OperatorError } from '../../src/domain/error.ts';
import { stemWord } from '../../src/domain/words.ts';
import { NONE_16, NONE_32 } from '../../src/snapshot/format/format.ts';
import type { SnapshotView, Triple } from '../../src/snapshot/format/snapshot-view.ts';
import { readText } from '../../src/snapshot/format/text-column.ts';

export interface PickedWord {
  readonly word: string;
  readonly stem: string;
  readonly stemSlot: number;
  readonly termCount: number;
}

const RARE_TERMS = 100;

export function pickWords(
  view: SnapshotView,
): Readonly<Record<'rare' | 'common' | 'medium' | 'veryCommon', PickedWord>> {
  const found: PickedWord[] = [];
  for (let slot = 0; slot < view.wordStems.length; slot += 1) {
    const word = readText(view.words, slot);
    const stemSlot = view.wordStems[slot] ?? 0;
    const stem = readText(view.stems, stemSlot);
    // Peers compare the spelling, so the word must be its own stem; letters only, so that every tokenizer agrees.
    if (!/^[a-z]{4,}$/.test(word) || word !== stem || stemWord(word) !== word) continue;
    const start = stemSlot === 0 ? 0 : (view.stemPostingEnds[stemSlot - 1] ?? 0);
    found.push({ word, stem, stemSlot, termCount: (view.stemPostingEnds[stemSlot] ?? 0) - start });
  }
  found.sort((a, b) => b.termCount - a.termCount);
  const near = (termCount: number): PickedWord => {
    const word = found.find((each) => each.termCount <= termCount) ?? found.at(-1);
    if (!word) throw new OperatorError('The data has no words to search for.', { hint: 'Import a report first.' });
    return word;
  };
  return {
    veryCommon: near(Number.POSITIVE_INFINITY),
    medium: near(view.documentCount / 40),
    common: near(view.documentCount / 80),
    rare: near(RARE_TERMS),
  };
}

export function pickBrand(view: SnapshotView, word: PickedWord): { readonly name: string; readonly brand: number } {
  const brand = mostFrequent(view, word, { columns: view.brands, none: NONE_32 });
  return { name: readText(view.brandNames, brand), brand };
}

export function pickCategory(view: SnapshotView, word: PickedWord): string {
  return view.categoryNames[mostFrequent(view, word, { columns: view.categories, none: NONE_16 })] ?? '';
}

export function pickProduct(view: SnapshotView, word: PickedWord): { readonly asin: string; readonly product: number } {
  const product = mostFrequent(view, word, { columns: view.products, none: NONE_32 });
  return { asin: readText(view.asins, product), product };
}

/** Among the documents of a word, so that a filter leaves something. */
function mostFrequent(
  view: SnapshotView,
  { stemSlot }: PickedWord,
  { columns, none }: { readonly columns: Triple<Uint32Array> | Triple<Uint16Array>; readonly none: number },
): number {
  const counts = new Map<number, number>();
  const start = stemSlot === 0 ? 0 : (view.stemPostingEnds[stemSlot - 1] ?? 0);
  for (const document of view.stemPostings.subarray(start, view.stemPostingEnds[stemSlot] ?? 0)) {
    for (const column of columns) {
      const value = column[document] ?? none;
      if (value !== none) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  const [best] = [...counts].sort((a, b) => b[1] - a[1]);
  if (!best) throw new OperatorError('The data has no brands, categories or products to filter by.');
  return best[0];
}
