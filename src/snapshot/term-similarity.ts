// similarity_score of many documents at once. Terms of plain letters and digits are compared as bytes: a trigram of the 36
// characters and the padding is a number below 37³, and a table of stamps tells which were seen in this term. Other terms
// go through the definition in domain/similarity.ts, which gives the same values.
import { parseTrigrams, similarity, similarityOfCounts } from '../domain/similarity.ts';
import type { DocumentList } from './document-list.ts';
import type { SnapshotView } from './snapshot-view.ts';
import { readText, textEnd, textStart } from './text-column.ts';

const BASE = 37;
const NOT_ASCII = 0x80;
const CHECK_EVERY = 16_384;

/** 0 for what separates words, 1 to 36 for digits and letters. */
const CODE_BY_BYTE = Uint8Array.from({ length: NOT_ASCII }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[0-9]/.test(character)) return byte - 47;
  return /[a-z]/.test(character) ? byte - 86 : 0;
});

/** Single-precision bits of each similarity: for numbers from 0 to 1 they compare as the numbers do. */
export function listSimilarityCodes(
  view: SnapshotView,
  {
    text,
    documents,
    throwIfCancelled,
  }: { readonly text: string; readonly documents: DocumentList; readonly throwIfCancelled: () => void },
): Uint32Array {
  const wanted = parseTrigrams(text);
  const isWanted = new Uint8Array(BASE ** 3);
  for (const trigram of wanted) {
    const code = codeOf(trigram);
    if (code !== undefined) isWanted[code] = 1;
  }
  const stamps = new Uint32Array(BASE ** 3);
  const values = new Float32Array(documents.length);
  const { bytes } = view.terms;
  for (let i = 0; i < documents.length; i += 1) {
    if (i % CHECK_EVERY === 0) throwIfCancelled();
    const slot = view.documentSlots[documents[i] ?? 0] ?? 0;
    const end = textEnd(view.terms, slot);
    const stamp = i + 1;
    let termCount = 0;
    let sharedCount = 0;
    let first = 0;
    let second = 0;
    let isPlain = true;
    for (let at = textStart(view.terms, slot); at <= end; at += 1) {
      // One separator behind the term closes its last word.
      const byte = at === end ? 0 : (bytes[at] ?? 0);
      if (byte >= NOT_ASCII) {
        isPlain = false;
        break;
      }
      const third = CODE_BY_BYTE[byte] ?? 0;
      if (second !== 0 || third !== 0) {
        const code = (first * BASE + second) * BASE + third;
        if (stamps[code] !== stamp) {
          stamps[code] = stamp;
          termCount += 1;
          sharedCount += isWanted[code] ?? 0;
        }
      }
      // Behind a separator the next word starts with fresh padding.
      first = third === 0 ? 0 : second;
      second = third;
    }
    values[i] = isPlain
      ? similarityOfCounts({ aCount: termCount, bCount: wanted.size, sharedCount })
      : similarity(parseTrigrams(readText(view.terms, slot)), wanted);
  }
  return new Uint32Array(values.buffer);
}

function codeOf(trigram: string): number | undefined {
  let code = 0;
  for (const character of trigram) {
    const byte = character.codePointAt(0) ?? NOT_ASCII;
    if (byte >= NOT_ASCII) return undefined;
    code = code * BASE + (CODE_BY_BYTE[byte] ?? 0);
  }
  return code;
}
