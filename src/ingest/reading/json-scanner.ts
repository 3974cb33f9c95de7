// A streaming parser for one JSON object of gigabytes: it gives the elements of one long array in batches and keeps the small values
// beside it, in any order of keys.
import { ReportFault } from './report-fault.ts';
import { countLineEnds } from './report-lines.ts';

/** Longest element of the array, and most text kept of the values beside it. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024;
/** Memory of a kept value beside its text. */
const ENTRY_BYTES = 64;
/** Reports have four levels. */
const MAX_DEPTH = 64;

const BYTE_ORDER_MARK_BYTES = 3;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Where in the object the scanner stands. Inside 'key' and 'value' it collects; inside 'elements' it cuts. */
type Place = 'start' | 'between' | 'key' | 'colon' | 'value' | 'elements' | 'end';

export class JsonScanner {
  readonly #arrayKeys: readonly string[];
  readonly #values = new Map<string, unknown>();
  #place: Place = 'start';
  #pending = Buffer.alloc(0);
  #key = '';
  #arrayKey: string | undefined;
  /** Text of the values that are kept. */
  #keptBytes = 0;
  /** In all that was pushed. */
  #lineEnds = 0;

  /** The object must have one of these. */
  constructor(arrayKeys: readonly string[]) {
    this.#arrayKeys = arrayKeys;
  }

  /** Of the array that was found. */
  get arrayKey(): string | undefined {
    return this.#arrayKey;
  }

  /** The values beside the array, complete after finish(). */
  get values(): ReadonlyMap<string, unknown> {
    return this.#values;
  }

  /** The line that it has come to. */
  get line(): number {
    return this.#lineEnds + 1;
  }

  /** Takes the next bytes and gives the elements that are complete with them. */
  push(chunk: Buffer): readonly unknown[] {
    let bytes = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    const elements: unknown[] = [];
    this.#lineEnds += countLineEnds(chunk);
    try {
      for (;;) {
        const used = this.#place === 'elements' ? this.#cutElements(bytes, elements) : this.#step(bytes);
        if (used === 0) break;
        bytes = bytes.subarray(used);
      }
      if (bytes.length > MAX_PENDING_BYTES) throw broken('a single value in it is too large');
    } catch (error) {
      throw error instanceof JsonFault ? this.#atLine(error, bytes.subarray(error.at)) : error;
    }
    this.#pending = Buffer.from(bytes);
    return elements;
  }

  /** To be called after the last byte: a file that was cut short fails here. */
  finish(): void {
    if (this.#place !== 'end') throw this.#atLine(broken('it ends too early'));
    if (this.#arrayKey === undefined) throw this.#atLine(broken(`it has no "${this.#arrayKeys.join('" or "')}"`));
  }

  #atLine({ message, cause }: JsonFault, rest: Buffer = Buffer.alloc(0)): ReportFault {
    const line = this.#lineEnds - countLineEnds(rest) + 1;
    return new ReportFault(`The JSON report is not whole: ${message}.`, { line, hint: 'Download it again.', cause });
  }

  /** Consumes one token outside the array; 0 when more bytes are needed. */
  #step(bytes: Buffer): number {
    const start = skipSpace(bytes, 0);
    const byte = bytes[start];
    if (byte === undefined) return start;
    if (this.#place === 'start' && byte === 0xef) return start + BYTE_ORDER_MARK_BYTES;
    if (this.#place === 'start') return this.#expect({ byte, wanted: OPEN_BRACE, next: 'key', used: start + 1 });
    if (this.#place === 'colon') return this.#expect({ byte, wanted: COLON, next: 'value', used: start + 1 });
    if (this.#place === 'end') throw broken('something follows the end of it');
    if (this.#place === 'between' || (this.#place === 'key' && byte === CLOSE_BRACE)) {
      if (byte !== COMMA && byte !== CLOSE_BRACE) throw broken('a comma is missing');
      this.#place = byte === COMMA ? 'key' : 'end';
      return start + 1;
    }
    if (this.#place === 'value' && this.#isArrayKey()) {
      this.#arrayKey = this.#key;
      return this.#expect({ byte, wanted: OPEN_BRACKET, next: 'elements', used: start + 1 });
    }
    const end = findValueEnd(bytes, start);
    if (end === undefined) return 0;
    const value = parse(bytes.toString('utf8', start, end), start);
    if (this.#place === 'key') {
      if (typeof value !== 'string') throw broken('a key is not a string');
      this.#key = value;
      this.#place = 'colon';
    } else {
      this.#keptBytes += end - start + this.#key.length + ENTRY_BYTES;
      if (this.#keptBytes > MAX_PENDING_BYTES) throw broken('there is too much beside the list');
      this.#values.set(this.#key, value);
      this.#place = 'between';
    }
    return end;
  }

  #isArrayKey(): boolean {
    return this.#arrayKey === undefined ? this.#arrayKeys.includes(this.#key) : this.#arrayKey === this.#key;
  }

  #expect({ byte, wanted, next, used }: { byte: number; wanted: number; next: Place; used: number }): number {
    if (byte !== wanted) throw broken(`"${String.fromCharCode(wanted)}" is missing`);
    this.#place = next;
    return used;
  }

  /** Parses all complete elements at once: one call for thousands of them. */
  #cutElements(bytes: Buffer, elements: unknown[]): number {
    const first = skipSeparators(bytes, 0);
    let end = first;
    let position = first;
    while (bytes[position] === OPEN_BRACE) {
      const close = findValueEnd(bytes, position);
      if (close === undefined) break;
      end = close;
      position = skipSeparators(bytes, close);
    }
    if (end > first) {
      const batch = parse(`[${bytes.toString('utf8', first, end)}]`, first);
      if (Array.isArray(batch)) for (const element of batch) elements.push(element);
    }
    const next = bytes[position];
    if (next === CLOSE_BRACKET) {
      this.#place = 'between';
      return position + 1;
    }
    if (next !== undefined && next !== OPEN_BRACE) throw broken('an element of the list is not an object');
    // The rest is an incomplete element, or nothing; it waits for more bytes. Separators are dropped: the parser of the
    // batch has seen those between its elements.
    return position;
  }
}

function skipSpace(bytes: Buffer, start: number): number {
  let position = start;
  while (isSpace(bytes[position])) position += 1;
  return position;
}

function skipSeparators(bytes: Buffer, start: number): number {
  let position = start;
  while (isSpace(bytes[position]) || bytes[position] === COMMA) position += 1;
  return position;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Position after the value that starts here; undefined when it does not end in these bytes. */
function findValueEnd(bytes: Buffer, start: number): number | undefined {
  let depth = 0;
  for (let position = start; position < bytes.length; position += 1) {
    const byte = bytes[position];
    if (byte === QUOTE) {
      const end = findStringEnd(bytes, position + 1);
      if (end === undefined) return undefined;
      if (depth === 0) return end;
      position = end - 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) throw broken('it is nested too deeply', { at: position });
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return position; // A number or a word before the end of the object.
      depth -= 1;
      if (depth === 0) return position + 1;
    } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return position;
  }
  return undefined;
}

function findStringEnd(bytes: Buffer, start: number): number | undefined {
  for (let position = start; position < bytes.length; position += 1) {
    const byte = bytes[position];
    if (byte === BACKSLASH) position += 1;
    else if (byte === QUOTE) return position + 1;
  }
  return undefined;
}

/** `start` is where the text begins in the buffer; with the position in the parser's message it locates the fault. */
function parse(text: string, start: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const characters = Number(/at position (\d+)/.exec(message)?.[1] ?? 0);
    throw broken(message, { at: start + Buffer.byteLength(text.slice(0, characters)), cause: error });
  }
}

/** A fault at a position among the bytes at hand. */
class JsonFault extends Error {
  readonly at: number;

  constructor(message: string, { at, cause }: { readonly at: number; readonly cause?: unknown }) {
    super(message, { cause });
    this.at = at;
  }
}

function broken(fault: string, { at = 0, cause }: { readonly at?: number; readonly cause?: unknown } = {}): JsonFault {
  return new JsonFault(fault, { at, cause });
}
