// Texts that share most of their words, such as product titles: each word is kept once, and a text is a list of word numbers of two
// bytes, or three. A word that is seldom stands in the text itself. Texts are decoded one by one, so that a page costs what it shows.
import { partOf, type TextColumn, textEnd, textStart } from './text-column.ts';

/**
 * The first byte of a number tells how long it is: below this two bytes, else three; its last value is no number. Numbers of one byte
 * would save a tenth, but nearly all being of one length is what makes decoding fast.
 */
const FIRST_LONG = 240;
const LONG_CODES = 15;
const FIRST_LONG_WORD = FIRST_LONG * 256;
/** Followed by the length of a word (LEB128) and its bytes. */
const LITERAL = 255;

/** Words beyond this number have none. */
export const MAX_CODED_WORDS = FIRST_LONG_WORD + LONG_CODES * 65_536;
/** Words are what stands between these bytes: spaces. */
export const WORD_END_BYTE = 0x20;

export interface CodedText {
  /** The codes of each text, none for an empty one. */
  readonly codes: TextColumn;
  /** Few enough for one part; the most frequent first. */
  readonly words: TextColumn;
}

/** What a text was decoded into; valid until the next one is. */
export interface DecodedText {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly length: number;
}

/** Texts that were decoded last, each in the place that its number has. Many pages show the same products. */
const KEPT_TEXTS = 4096;
const KEPT_BYTES = 256;

interface KeptTexts {
  /** By place: 1 + the text, or 0. */
  readonly texts: Uint32Array;
  readonly lengths: Uint16Array;
  readonly bytes: Buffer;
  readonly view: DataView;
}

export interface KeptText {
  readonly view: DataView;
  readonly start: number;
  readonly end: number;
}

const keptTexts = new WeakMap<CodedText, KeptTexts>();

/** For texts of which the same are shown again and again; each thread keeps some of them (a megabyte). Valid until the next call. */
export function openKeptTexts(text: CodedText): (index: number) => KeptText {
  const kept = keptTexts.get(text) ?? newKeptTexts();
  keptTexts.set(text, kept);
  const found = { view: kept.view, start: 0, end: 0 };
  return (index) => {
    const place = index % KEPT_TEXTS;
    if (kept.texts[place] !== index + 1) {
      const { bytes, view, length } = decodeText(text, index);
      if (length > KEPT_BYTES) return { view, start: 0, end: length };
      bytes.copy(kept.bytes, place * KEPT_BYTES, 0, length);
      kept.texts[place] = index + 1;
      kept.lengths[place] = length;
    }
    found.start = place * KEPT_BYTES;
    found.end = found.start + (kept.lengths[place] ?? 0);
    return found;
  };
}

function newKeptTexts(): KeptTexts {
  const texts = new Uint32Array(KEPT_TEXTS);
  return { texts, lengths: new Uint16Array(KEPT_TEXTS), ...newRoom(KEPT_TEXTS * KEPT_BYTES) };
}

const COPY_BYTES = 12;
/** A space, and what copying writes too much. */
const SPARE_BYTES = COPY_BYTES + 4;
const decoded = { ...newRoom(8192), length: 0 };

/** Written out as one loop: a page has more than a thousand words. */
export function decodeText(text: CodedText, index: number): DecodedText {
  const codes = partOf(text.codes, index);
  const { view: codeView } = codes;
  const { view: wordView, ends } = text.words;
  const lastCopy = wordView.byteLength - COPY_BYTES;
  const end = textEnd(codes, index);
  let length = 0;
  for (let at = textStart(codes, index); at < end; ) {
    const first = codeView.getUint8(at);
    if (first === LITERAL) {
      const { start, size } = literalAt(codeView, at + 1);
      length = copyBytes({ source: codeView, start, size }, length);
      at = start + size;
      continue;
    }
    let word = codeView.getUint16(at);
    at += 2;
    if (first >= FIRST_LONG) {
      word = FIRST_LONG_WORD + ((word - FIRST_LONG_WORD) << 8) + codeView.getUint8(at);
      at += 1;
    }
    const start = word === 0 ? 0 : (ends[word - 1] ?? 0);
    const size = (ends[word] ?? 0) - start;
    if (length + size + SPARE_BYTES > decoded.bytes.length || start + size > lastCopy) {
      length = copyBytes({ source: wordView, start, size }, length);
      continue;
    }
    const target = decoded.view;
    // Twelve bytes whatever the length, which few words exceed; what is too much the next word overwrites.
    target.setInt32(length, wordView.getInt32(start, true), true);
    target.setInt32(length + 4, wordView.getInt32(start + 4, true), true);
    target.setInt32(length + 8, wordView.getInt32(start + 8, true), true);
    for (let k = COPY_BYTES; k < size; k += 4) {
      target.setInt32(length + k, wordView.getInt32(start + k, true), true);
    }
    target.setUint8(length + size, WORD_END_BYTE);
    length += size + 1;
  }
  // Behind the last word is no space.
  decoded.length = Math.max(0, length - 1);
  return decoded;
}

/** What a text consists of: words by their number, and those that stand in the text itself. Each may end the walk by saying true. */
export interface WordVisitor {
  readonly word: (word: number) => boolean;
  readonly literal: (bytes: Buffer) => boolean;
}

/** Visits the words of a text in their order; says whether a visitor ended it. */
export function walkWords(text: CodedText, index: number, { word: visitWord, literal }: WordVisitor): boolean {
  const codes = partOf(text.codes, index);
  const { view, bytes } = codes;
  const end = textEnd(codes, index);
  for (let at = textStart(codes, index); at < end; ) {
    const first = view.getUint8(at);
    if (first === LITERAL) {
      const { start, size } = literalAt(view, at + 1);
      at = start + size;
      if (literal(bytes.subarray(start, at))) return true;
      continue;
    }
    let word = view.getUint16(at);
    at += 2;
    if (first >= FIRST_LONG) {
      word = FIRST_LONG_WORD + ((word - FIRST_LONG_WORD) << 8) + view.getUint8(at);
      at += 1;
    }
    if (visitWord(word)) return true;
  }
  return false;
}

export function isEmptyText({ codes }: CodedText, index: number): boolean {
  const part = partOf(codes, index);
  return textStart(part, index) === textEnd(part, index);
}

export function readCodedText(text: CodedText, index: number): string {
  const { bytes, length } = decodeText(text, index);
  return bytes.toString('utf8', 0, length);
}

/** Puts a word and a space behind what was decoded; returns how much there is now. */
function copyBytes(
  { source, start, size }: { readonly source: DataView; readonly start: number; readonly size: number },
  length: number,
): number {
  if (length + size + SPARE_BYTES > decoded.bytes.length) extendRoom(length, size + SPARE_BYTES);
  const { bytes } = decoded;
  for (let k = 0; k < size; k += 1) bytes[length + k] = source.getUint8(start + k);
  bytes[length + size] = WORD_END_BYTE;
  return length + size + 1;
}

function literalAt(codes: DataView, first: number): { readonly start: number; readonly size: number } {
  let at = first;
  let size = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = codes.getUint8(at);
    at += 1;
    size |= (byte & 127) << shift;
    if (byte < 128) return { start: at, size };
  }
}

/** Appends the code of a word; returns how many bytes it took. */
export function putWord(bytes: Uint8Array, { at, word }: { readonly at: number; readonly word: number }): number {
  if (word < FIRST_LONG_WORD) {
    bytes[at] = word >>> 8;
    bytes[at + 1] = word & 255;
    return 2;
  }
  const rest = word - FIRST_LONG_WORD;
  bytes[at] = FIRST_LONG + (rest >>> 16);
  bytes[at + 1] = (rest >>> 8) & 255;
  bytes[at + 2] = rest & 255;
  return 3;
}

/** Appends what stands before the bytes of a word that has no number; returns how many bytes it took, six at most. */
export function putLiteralHead(
  bytes: Uint8Array,
  { at, size }: { readonly at: number; readonly size: number },
): number {
  bytes[at] = LITERAL;
  let count = 1;
  let rest = size;
  for (; rest > 127; rest >>>= 7, count += 1) bytes[at + count] = (rest & 127) | 128;
  bytes[at + count] = rest;
  return count + 1;
}

function newRoom(sizeBytes: number): { bytes: Buffer; view: DataView } {
  const buffer = new ArrayBuffer(sizeBytes);
  return { bytes: Buffer.from(buffer), view: new DataView(buffer) };
}

function extendRoom(usedBytes: number, addedBytes: number): void {
  const { bytes } = decoded;
  Object.assign(decoded, newRoom(2 * (usedBytes + addedBytes)));
  bytes.copy(decoded.bytes, 0, 0, usedBytes);
}
