// Texts that share most of their words, such as product titles: each word is kept once, and a text is a list of word numbers of one to
// three bytes. A word that is seldom stands in the text itself. Texts are decoded one by one, so that a page costs what it shows.
import { type TextColumn, textEnd, textStart } from './text-column.ts';

/** The first byte of a number tells how long it is: so many of one byte, then of two, then of three; the last value is no number. */
const SHORT_CODES = 192;
const MIDDLE_CODES = 48;
const LONG_CODES = 15;
const FIRST_LONG = SHORT_CODES + MIDDLE_CODES;
const FIRST_MIDDLE_WORD = SHORT_CODES;
const FIRST_LONG_WORD = FIRST_MIDDLE_WORD + MIDDLE_CODES * 256;
/** Followed by the length of a word (LEB128) and its bytes. */
const LITERAL = 255;

/** Words beyond this number have none. */
export const MAX_CODED_WORDS = FIRST_LONG_WORD + LONG_CODES * 65_536;
/** Words are what stands between these bytes: spaces. */
export const WORD_END_BYTE = 0x20;

export interface CodedText {
  /** The codes of each text, none for an empty one. */
  readonly codes: TextColumn;
  readonly words: TextColumn;
  /** The same bytes, for copying four at a time. */
  readonly codeView: DataView;
  readonly wordView: DataView;
}

/** What a text was decoded into; valid until the next one is. */
export interface DecodedText {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly length: number;
}

const COPY_BYTES = 4;
const decoded = { ...newRoom(8192), length: 0 };

export function viewCodedText(codes: TextColumn, words: TextColumn): CodedText {
  return { codes, words, codeView: viewOf(codes.bytes), wordView: viewOf(words.bytes) };
}

export function decodeText(text: CodedText, index: number): DecodedText {
  const { codeView, wordView } = text;
  const { ends } = text.words;
  const end = textEnd(text.codes, index);
  let length = 0;
  for (let at = textStart(text.codes, index); at < end; ) {
    const first = codeView.getUint8(at);
    if (first === LITERAL) {
      const { start, size } = literalAt(codeView, at + 1);
      length = copyWord({ source: codeView, start, end: start + size }, length);
      at = start + size;
      continue;
    }
    let word = first;
    at += 1;
    if (first >= FIRST_LONG) {
      word = FIRST_LONG_WORD + ((first - FIRST_LONG) << 16) + codeView.getUint16(at);
      at += 2;
    } else if (first >= SHORT_CODES) {
      word = FIRST_MIDDLE_WORD + ((first - SHORT_CODES) << 8) + codeView.getUint8(at);
      at += 1;
    }
    const start = word === 0 ? 0 : (ends[word - 1] ?? 0);
    length = copyWord({ source: wordView, start, end: ends[word] ?? 0 }, length);
  }
  // Behind the last word is no space.
  decoded.length = Math.max(0, length - 1);
  return decoded;
}

export function readCodedText(text: CodedText, index: number): string {
  const { bytes, length } = decodeText(text, index);
  return bytes.toString('utf8', 0, length);
}

/** Puts a word and a space behind what was decoded; returns how much there is now. Copies a few bytes too many, which the next word overwrites. */
function copyWord(
  { source, start, end }: { readonly source: DataView; readonly start: number; readonly end: number },
  length: number,
): number {
  const wordLength = end - start;
  if (length + wordLength + COPY_BYTES + 1 > decoded.bytes.length) extendRoom(length, wordLength + COPY_BYTES + 1);
  const target = decoded.view;
  const from = start - length;
  const last = Math.min(length + wordLength, source.byteLength - COPY_BYTES - from + 1);
  let to = length;
  for (; to < last; to += COPY_BYTES) target.setInt32(to, source.getInt32(from + to, true), true);
  // At the end of the column.
  for (; to < length + wordLength; to += 1) target.setUint8(to, source.getUint8(from + to));
  target.setUint8(length + wordLength, WORD_END_BYTE);
  return length + wordLength + 1;
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

/** Appends the code of a word; returns how many bytes it took, three at most. */
export function putWord(bytes: Uint8Array, { at, word }: { readonly at: number; readonly word: number }): number {
  if (word < FIRST_MIDDLE_WORD) {
    bytes[at] = word;
    return 1;
  }
  if (word < FIRST_LONG_WORD) {
    const rest = word - FIRST_MIDDLE_WORD;
    bytes[at] = SHORT_CODES + (rest >>> 8);
    bytes[at + 1] = rest & 255;
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

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
