// JSON text built as bytes. Texts are copied from the snapshot's UTF-8 without passing through strings; the output equals
// that of JSON.stringify byte for byte.

export interface JsonBuffer {
  bytes: Uint8Array;
  length: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const MAX_NUMBER_BYTES = 20;
/** A control character becomes \u001f. */
const MAX_ESCAPED_BYTES = 6;

export function newJsonBuffer(): JsonBuffer {
  return { bytes: new Uint8Array(64 * 1024), length: 0 };
}

export function finishedJson({ bytes, length }: JsonBuffer): Uint8Array {
  return bytes.slice(0, length);
}

/** Punctuation, keys and other text that is ASCII and needs no escape. */
export function writePlain(json: JsonBuffer, text: string): void {
  reserve(json, text.length);
  const { bytes, length } = json;
  for (let i = 0; i < text.length; i += 1) bytes[length + i] = text.charCodeAt(i);
  json.length = length + text.length;
}

/** Text that was encoded beforehand: the fixed parts of every row. */
export function writeFixed(json: JsonBuffer, fixed: Uint8Array): void {
  reserve(json, fixed.length);
  const { bytes, length } = json;
  for (let i = 0; i < fixed.length; i += 1) bytes[length + i] = fixed[i] ?? 0;
  json.length = length + fixed.length;
}

/** A whole number below 2³². */
export function writeNumber(json: JsonBuffer, value: number): void {
  reserve(json, MAX_NUMBER_BYTES);
  if (value < 10) {
    json.bytes[json.length] = 48 + value;
    json.length += 1;
    return;
  }
  let digits = 2;
  for (let power = 100; value >= power; power *= 10) digits += 1;
  const { bytes, length } = json;
  for (let rest = value >>> 0, at = length + digits - 1; at >= length; at -= 1) {
    const tenth = (rest / 10) >>> 0;
    bytes[at] = 48 + rest - tenth * 10;
    rest = tenth;
  }
  json.length = length + digits;
}

/** A number given in hundredths, with as many decimals as it needs. */
export function writeHundredths(json: JsonBuffer, hundredths: number): void {
  writeNumber(json, Math.floor(hundredths / 100));
  const rest = hundredths % 100;
  if (rest === 0) return;
  const text = rest % 10 === 0 ? `.${rest / 10}` : `.${String(rest).padStart(2, '0')}`;
  writePlain(json, text);
}

/** A quoted string from a range of UTF-8 bytes. */
export function writeText(
  json: JsonBuffer,
  source: Uint8Array,
  { start, end }: { readonly start: number; readonly end: number },
): void {
  reserve(json, 2 + (end - start) * MAX_ESCAPED_BYTES);
  const { bytes } = json;
  let at = json.length;
  bytes[at] = QUOTE;
  at += 1;
  for (let i = start; i < end; i += 1) {
    const byte = source[i] ?? 0;
    if (byte === QUOTE || byte === BACKSLASH || byte < FIRST_PRINTABLE) {
      const escaped = JSON.stringify(String.fromCharCode(byte)).slice(1, -1);
      for (let j = 0; j < escaped.length; j += 1) bytes[at + j] = escaped.charCodeAt(j);
      at += escaped.length;
    } else {
      bytes[at] = byte;
      at += 1;
    }
  }
  bytes[at] = QUOTE;
  json.length = at + 1;
}

function reserve(json: JsonBuffer, room: number): void {
  if (json.length + room <= json.bytes.length) return;
  const grown = new Uint8Array(Math.max(json.length + room, json.bytes.length * 2));
  grown.set(json.bytes.subarray(0, json.length));
  json.bytes = grown;
}
