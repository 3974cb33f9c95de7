// JSON text built as bytes. Texts are copied from the snapshot's UTF-8 without passing through strings; the output equals
// that of JSON.stringify byte for byte.

/** In memory that threads share: what one has written another reads where it is. */
export interface JsonBuffer {
  bytes: Uint8Array;
  /** The same memory: four bytes at a time are copied much faster than one by one. */
  words: DataView;
  length: number;
}

/** Text that is encoded once and written often: the fixed parts of every row. */
export interface FixedText {
  /** The last one is filled up. */
  readonly words: Uint32Array;
  readonly length: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const ZERO = 0x30;
const DECIMAL_POINT = 0x2e;
const WORD_BYTES = 4;
const MAX_NUMBER_BYTES = 20;
/** A control character becomes \u001f. */
const MAX_ESCAPED_BYTES = 6;

export function newJsonBuffer(): JsonBuffer {
  const bytes = new Uint8Array(new SharedArrayBuffer(64 * 1024));
  return { bytes, words: new DataView(bytes.buffer), length: 0 };
}

export function fixText(text: string): FixedText {
  const bytes = Buffer.from(text);
  const words = new Uint32Array(Math.ceil(bytes.length / WORD_BYTES));
  new Uint8Array(words.buffer).set(bytes);
  return { words, length: bytes.length };
}

/** Until something else is written there. */
export function writtenJson({ bytes, length }: JsonBuffer): Uint8Array {
  return bytes.subarray(0, length);
}

export function writeFixed(json: JsonBuffer, { words, length }: FixedText): void {
  reserve(json, words.length * WORD_BYTES);
  const target = json.words;
  for (let i = 0, at = json.length; i < words.length; i += 1, at += WORD_BYTES) {
    target.setUint32(at, words[i] ?? 0, true);
  }
  json.length += length;
}

/** The digits of 00 to 99, as two bytes to be written together. */
const TWO_DIGITS = Uint16Array.from({ length: 100 }, (_, n) => ZERO + Math.floor(n / 10) + ((ZERO + (n % 10)) << 8));

/** A whole number below 2³². */
export function writeNumber(json: JsonBuffer, value: number): void {
  reserve(json, MAX_NUMBER_BYTES);
  const { words, length } = json;
  if (value < 10) {
    words.setUint8(length, ZERO + value);
    json.length = length + 1;
    return;
  }
  let digits = 2;
  for (let power = 100; value >= power; power *= 10) digits += 1;
  let rest = value >>> 0;
  let at = length + digits - 2;
  for (; rest >= 100; at -= 2) {
    const hundredth = (rest / 100) >>> 0;
    words.setUint16(at, TWO_DIGITS[rest - 100 * hundredth] ?? 0, true);
    rest = hundredth;
  }
  if (rest >= 10) words.setUint16(at, TWO_DIGITS[rest] ?? 0, true);
  else words.setUint8(at + 1, ZERO + rest);
  json.length = length + digits;
}

/** A number given in hundredths, with as many decimals as it needs. */
export function writeHundredths(json: JsonBuffer, hundredths: number): void {
  writeNumber(json, Math.floor(hundredths / 100));
  const rest = hundredths % 100;
  if (rest === 0) return;
  reserve(json, MAX_NUMBER_BYTES);
  const { bytes, length } = json;
  const tenths = Math.floor(rest / 10);
  bytes[length] = DECIMAL_POINT;
  bytes[length + 1] = ZERO + tenths;
  bytes[length + 2] = ZERO + rest - 10 * tenths;
  json.length = length + (rest % 10 === 0 ? 2 : 3);
}

/** A quoted string from a range of UTF-8 bytes. */
export function writeText(
  json: JsonBuffer,
  source: DataView,
  { start, end }: { readonly start: number; readonly end: number },
): void {
  reserve(json, 2 + (end - start) * MAX_ESCAPED_BYTES);
  const { bytes, words } = json;
  let at = json.length;
  bytes[at] = QUOTE;
  at += 1;
  let from = start;
  for (; from + WORD_BYTES <= end; from += WORD_BYTES, at += WORD_BYTES) {
    const word = source.getInt32(from, true);
    if (hasEscaped(word)) break;
    words.setInt32(at, word, true);
  }
  // The last few bytes, or all from the first that needs an escape on.
  for (; from < end; from += 1) {
    const byte = source.getUint8(from);
    if (byte === QUOTE || byte === BACKSLASH || byte < FIRST_PRINTABLE) {
      const escaped = JSON.stringify(String.fromCharCode(byte)).slice(1, -1);
      for (let i = 0; i < escaped.length; i += 1) bytes[at + i] = escaped.charCodeAt(i);
      at += escaped.length;
    } else {
      bytes[at] = byte;
      at += 1;
    }
  }
  bytes[at] = QUOTE;
  json.length = at + 1;
}

/** Whether one of four bytes is a quote, a backslash or a control character: a byte below n borrows from its highest bit when n is taken away. */
function hasEscaped(word: number): boolean {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  const borrowed =
    ((word - 0x20202020) & ~word) | ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash);
  return (borrowed & 0x80808080) !== 0;
}

function reserve(json: JsonBuffer, room: number): void {
  if (json.length + room <= json.bytes.length) return;
  const grown = new Uint8Array(new SharedArrayBuffer(Math.max(json.length + room, json.bytes.length * 2)));
  grown.set(json.bytes.subarray(0, json.length));
  json.bytes = grown;
  json.words = new DataView(grown.buffer);
}
