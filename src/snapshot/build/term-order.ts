// Sorting many texts by their bytes, which is the order of code points, without a comparison per step: the next few bytes of
// each text and its place in the list are packed into one 64-bit number, the numbers are sorted natively, and runs whose
// bytes are equal go on with the bytes behind them.
import { compareTexts, partOf, type TextColumn, textEnd, textStart } from '../format/text-column.ts';

const SORTED_BELOW = 24;

/** The entries in the order of their texts, which must be different and without NUL. */
export function sortByText(texts: TextColumn, entries: Uint32Array): Uint32Array {
  const sorted = entries.slice();
  sortFrom(texts, { entries: sorted, depth: 0 });
  return sorted;
}

function sortFrom(
  texts: TextColumn,
  { entries, depth }: { readonly entries: Uint32Array; readonly depth: number },
): void {
  if (entries.length <= SORTED_BELOW) {
    entries.set(Array.from(entries).sort((a, b) => compareTexts(texts, [a, b])));
    return;
  }
  const { packed, prefixBytes } = packPrefixes(texts, { entries, depth });
  packed.sort();
  const halves = new Uint32Array(packed.buffer);
  const placeBits = 64 - prefixBytes * 8;
  const placeMask = placeBits === 32 ? 0xffffffff : 2 ** placeBits - 1;
  const unsorted = entries.slice();
  for (let i = 0; i < entries.length; i += 1) {
    entries[i] = unsorted[((halves[2 * i] ?? 0) & placeMask) >>> 0] ?? 0;
  }
  const isSamePrefix = (a: number, b: number): boolean =>
    halves[2 * a + 1] === halves[2 * b + 1] &&
    ((halves[2 * a] ?? 0) & ~placeMask) === ((halves[2 * b] ?? 0) & ~placeMask);
  for (let start = 0; start < entries.length; ) {
    let end = start + 1;
    while (end < entries.length && isSamePrefix(start, end)) end += 1;
    if (end - start > 1) sortFrom(texts, { entries: entries.subarray(start, end), depth: depth + prefixBytes });
    start = end;
  }
}

/** In each number the bytes from `depth` on stand above, 0 behind the end of the text, and the place in the list below. */
function packPrefixes(
  texts: TextColumn,
  { entries, depth }: { readonly entries: Uint32Array; readonly depth: number },
): { readonly packed: BigUint64Array; readonly prefixBytes: number } {
  const prefixBytes = entries.length > 2 ** 24 ? 4 : entries.length > 2 ** 16 ? 5 : 6;
  const packed = new BigUint64Array(entries.length);
  const halves = new Uint32Array(packed.buffer);
  const bytes = new Uint8Array(packed.buffer);
  for (let i = 0; i < entries.length; i += 1) {
    const entry = entries[i] ?? 0;
    halves[2 * i] = i;
    const part = partOf(texts, entry);
    const from = textStart(part, entry) + depth;
    const length = Math.min(prefixBytes, textEnd(part, entry) - from);
    for (let k = 0; k < length; k += 1) bytes[8 * i + 7 - k] = part.bytes[from + k] ?? 0;
  }
  return { packed, prefixBytes };
}
