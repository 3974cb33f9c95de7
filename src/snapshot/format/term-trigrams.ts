// The trigrams of a term as pg_trgm defines them (domain/similarity.ts), counted over its UTF-8 bytes. For terms of plain
// letters and digits a trigram is a number below 37³: 36 characters and the padding. Other terms go through the definition.
import { parseTrigrams } from '../../domain/similarity.ts';
import { partOf, readText, type TextColumn, textEnd, textStart } from './text-column.ts';

const BASE = 37;
const TRIGRAM_CODES = BASE ** 3;
const NOT_ASCII = 0x80;

/** 0 for what separates words, 1 to 36 for digits and letters. */
const CODE_BY_BYTE = Uint8Array.from({ length: NOT_ASCII }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[0-9]/.test(character)) return byte - 47;
  return /[a-z]/.test(character) ? byte - 86 : 0;
});

export interface TrigramCounter {
  /** How many of the counted trigrams the text has, each once. */
  readonly count: (text: TextColumn, index: number) => number;
}

/** Counts all distinct trigrams of a term, or only the wanted ones. */
export function openTrigramCounter(wanted?: ReadonlySet<string>): TrigramCounter {
  const isCounted = new Uint8Array(TRIGRAM_CODES);
  if (!wanted) isCounted.fill(1);
  for (const trigram of wanted ?? []) {
    const code = codeOf(trigram);
    if (code !== undefined) isCounted[code] = 1;
  }
  // Which trigrams were seen in this text: no table has to be cleared between two texts.
  const stamps = new Uint32Array(TRIGRAM_CODES);
  let stamp = 0;
  function countOther(text: TextColumn, index: number): number {
    const trigrams = parseTrigrams(readText(text, index));
    if (!wanted) return trigrams.size;
    let sharedCount = 0;
    for (const trigram of trigrams) if (wanted.has(trigram)) sharedCount += 1;
    return sharedCount;
  }
  function count(text: TextColumn, index: number): number {
    const part = partOf(text, index);
    const { bytes } = part;
    const end = textEnd(part, index);
    stamp += 1;
    let found = 0;
    let first = 0;
    let second = 0;
    for (let at = textStart(part, index); at <= end; at += 1) {
      // One separator behind the term closes its last word.
      const byte = at === end ? 0 : (bytes[at] ?? 0);
      if (byte >= NOT_ASCII) return countOther(text, index);
      const third = CODE_BY_BYTE[byte] ?? 0;
      const code = (first * BASE + second) * BASE + third;
      if (isCounted[code] === 1 && (second !== 0 || third !== 0) && stamps[code] !== stamp) {
        stamps[code] = stamp;
        found += 1;
      }
      // Behind a separator the next word starts with fresh padding.
      first = third === 0 ? 0 : second;
      second = third;
    }
    return found;
  }
  return { count };
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
