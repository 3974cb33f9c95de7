// A growing buffer for sheet XML. A sheet is millions of short numbers between a few fixed tags; writing their bytes
// directly is faster than joining strings and encoding them afterwards, and leaves little to collect. The loops below
// replace native calls on purpose: for some ten bytes the call costs more than the work.
import assert from 'node:assert/strict';
import { MAX_CELL_CHARACTERS, sheetText } from './cell-text.ts';

const ZERO = 48;
const MINUS = 45;
const UNDERSCORE = 95;
const SMALL_X = 120;

const ENTITIES: readonly (Uint8Array | undefined)[] = Object.assign(
  new Array<Uint8Array | undefined>(128).fill(undefined),
  {
    [code('&')]: Buffer.from('&amp;'),
    [code('<')]: Buffer.from('&lt;'),
    [code('>')]: Buffer.from('&gt;'),
  },
);

/** The longest entity; UTF-8 needs at most three bytes per UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 5;

/** More than any number needs. */
const MAX_NUMBER_BYTES = 32;

export class SheetBytes {
  readonly #capacityBytes: number;
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes;
    this.#bytes = new Uint8Array(capacityBytes);
  }

  get length(): number {
    return this.#length;
  }

  /** What was written since the last call; the buffer is given away, not used again. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.buffer, 0, this.#length);
    this.#bytes = new Uint8Array(this.#capacityBytes);
    this.#length = 0;
    return taken;
  }

  /** Finished XML, as bytes. */
  raw(xml: Uint8Array): void {
    const count = xml.length;
    this.#reserve(count);
    const bytes = this.#bytes;
    const start = this.#length;
    for (let index = 0; index < count; index += 1) bytes[start + index] = xml[index] as number;
    this.#length = start + count;
  }

  number(value: number): void {
    this.#reserve(MAX_NUMBER_BYTES);
    const whole = value | 0;
    if (whole === value) {
      this.#integer(whole);
      return;
    }
    assert(Number.isFinite(value), 'A cell cannot hold NaN or infinity.');
    this.#ascii(String(value));
  }

  /** Cleaned and escaped as sheetText does it, ready to stand inside an element. */
  text(text: string): void {
    this.#reserve(text.length * MAX_BYTES_PER_UNIT);
    const end = writeCommonText(text, { bytes: this.#bytes, start: this.#length });
    if (end !== undefined) {
      this.#length = end;
      return;
    }
    const escaped = Buffer.from(sheetText(text), 'utf8');
    this.raw(escaped);
  }

  #ascii(text: string): void {
    for (let index = 0; index < text.length; index += 1) this.#bytes[this.#length++] = text.charCodeAt(index);
  }

  #integer(value: number): void {
    const bytes = this.#bytes;
    let at = this.#length;
    if (value < 0) bytes[at++] = MINUS;
    let rest = Math.abs(value);
    let digits = 1;
    for (let power = 10; rest >= power; power *= 10) digits += 1;
    this.#length = at + digits;
    for (at += digits - 1; digits > 0; digits -= 1, at -= 1) {
      const tenth = (rest / 10) | 0;
      bytes[at] = ZERO + (rest - tenth * 10);
      rest = tenth;
    }
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/**
 * Writes what nearly every text consists of: letters of any script, punctuation, markup characters. Returns where it
 * ended, or undefined when the text needs the full rules: controls, surrogates, a possible escape, too long.
 */
function writeCommonText(
  text: string,
  { bytes, start }: { readonly bytes: Uint8Array; readonly start: number },
): number | undefined {
  let at = start;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 32 && unit < 127) {
      const entity = ENTITIES[unit];
      if (entity === undefined) bytes[at++] = unit;
      else for (const byte of entity) bytes[at++] = byte;
      if (unit === UNDERSCORE && text.charCodeAt(index + 1) === SMALL_X) return undefined;
    } else if (unit >= 0xa0 && unit < 0x800) {
      bytes[at++] = 0xc0 | (unit >> 6);
      bytes[at++] = 0x80 | (unit & 63);
    } else if (unit >= 0x800 && unit < 0xfffe && (unit < 0xd800 || unit > 0xdfff)) {
      bytes[at++] = 0xe0 | (unit >> 12);
      bytes[at++] = 0x80 | ((unit >> 6) & 63);
      bytes[at++] = 0x80 | (unit & 63);
    } else return undefined;
  }
  return text.length > MAX_CELL_CHARACTERS ? undefined : at;
}

function code(character: string): number {
  return character.charCodeAt(0);
}
