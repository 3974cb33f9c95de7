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
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
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

/** How many bytes a decimal point and hundredths take that are no whole number, its last zero left out. */
const DECIMAL_BYTES = Uint8Array.from({ length: 100 }, (_, rest) => (rest === 0 ? 0 : rest % 10 === 0 ? 2 : 3));

/** By leading zeros of a number: how many digits the least such number has, and from where on there is one more. */
const LEAST_DIGITS = Uint8Array.from({ length: 33 }, (_, zeros) => String(zeros > 31 ? 0 : 2 ** (31 - zeros)).length);
const NEXT_POWERS = Float64Array.from(LEAST_DIGITS, (digits) => 10 ** digits);

/** A whole number below 2³². */
export function writeNumber(json: JsonBuffer, value: number): void {
  reserve(json, MAX_NUMBER_BYTES);
  json.length = putDigits(json.words, json.length, value);
}

/** Where there is room; returns where it ends. */
function putDigits(words: DataView, start: number, value: number): number {
  if (value < 10) {
    words.setUint8(start, ZERO + value);
    return start + 1;
  }
  const zeros = Math.clz32(value);
  const end = start + (LEAST_DIGITS[zeros] ?? 0) + Number(value >= (NEXT_POWERS[zeros] ?? 0));
  let rest = value >>> 0;
  let at = end - 2;
  for (; rest >= 100; at -= 2) {
    const hundredth = (rest / 100) >>> 0;
    words.setUint16(at, TWO_DIGITS[rest - 100 * hundredth] ?? 0, true);
    rest = hundredth;
  }
  if (rest >= 10) words.setUint16(at, TWO_DIGITS[rest] ?? 0, true);
  else words.setUint8(at + 1, ZERO + rest);
  return end;
}

/** A number given in hundredths, with as many decimals as it needs. */
export function writeHundredths(json: JsonBuffer, hundredths: number): void {
  reserve(json, MAX_NUMBER_BYTES);
  const { words } = json;
  const whole = (hundredths / 100) >>> 0;
  const at = putDigits(words, json.length, whole);
  const rest = hundredths - 100 * whole;
  words.setUint8(at, DECIMAL_POINT);
  words.setUint16(at + 1, TWO_DIGITS[rest] ?? 0, true);
  // As much of it as counts.
  json.length = at + (DECIMAL_BYTES[rest] ?? 0);
}

/** Names of an object, each with as many words of four bytes: with a comma before and a colon behind. */
export interface FixedNames {
  readonly words: Uint32Array;
  readonly wordsEach: number;
  readonly lengths: Uint8Array;
}

export function fixNames(names: readonly string[]): FixedNames {
  const texts = names.map((name) => fixText(`,${JSON.stringify(name)}:`));
  const wordsEach = Math.max(1, ...texts.map(({ words }) => words.length));
  const words = new Uint32Array(texts.length * wordsEach);
  for (const [i, text] of texts.entries()) words.set(text.words, i * wordsEach);
  return { words, wordsEach, lengths: Uint8Array.from(texts, ({ length }) => length) };
}

/** The numbers from one place to another as an object, 0 left out. The first has the given name, and those behind the names that follow. */
export function writeNamedNumbers(
  json: JsonBuffer,
  { words: nameWords, wordsEach, lengths }: FixedNames,
  {
    values,
    from,
    to,
    name,
  }: { readonly values: Uint32Array; readonly from: number; readonly to: number; readonly name: number },
): void {
  reserve(json, 2 + (to - from) * (wordsEach * WORD_BYTES + MAX_NUMBER_BYTES));
  const { words } = json;
  const start = json.length;
  let end = start;
  for (let i = from; i < to; i += 1) {
    const value = values[i] ?? 0;
    if (value === 0) continue;
    const named = name + i - from;
    const first = named * wordsEach;
    for (let word = 0; word < wordsEach; word += 1) {
      words.setUint32(end + word * WORD_BYTES, nameWords[first + word] ?? 0, true);
    }
    end = putDigits(words, end + (lengths[named] ?? 0), value);
  }
  // Over the first comma, or where there is none.
  words.setUint8(start, OPENING_BRACE);
  end = Math.max(end, start + 1);
  words.setUint8(end, CLOSING_BRACE);
  json.length = end + 1;
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
