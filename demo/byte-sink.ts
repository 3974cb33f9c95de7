// Report rows are put together as bytes in one large buffer. Building strings first would cost several times as much and
// leave gigabytes of garbage behind a large period.

export interface ByteSink {
  readonly bytes: Uint8Array;
  /** The same bytes, for copying four at a time. */
  readonly view: DataView;
  length: number;
}

/** Texts that rows are made of, in UTF-8, one after another. A text is named by its number. */
export interface Lexicon {
  readonly view: DataView;
  /** Piece n spans offsets[n] to offsets[n + 1]. */
  readonly offsets: Uint32Array;
}

export interface LexiconBuilder {
  add(text: string): number;
  build(): Lexicon;
}

const COPY_BYTES = 4;

export const BYTE = { quote: 0x22, comma: 0x2c, space: 0x20, newline: 0x0a, point: 0x2e, zero: 0x30 } as const;

export function createByteSink(capacityBytes: number): ByteSink {
  const bytes = new Uint8Array(capacityBytes + COPY_BYTES);
  return { bytes, view: new DataView(bytes.buffer), length: 0 };
}

export function createLexiconBuilder(): LexiconBuilder {
  const numbers = new Map<string, number>();
  return {
    add(text) {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, numbers.size);
      return numbers.size - 1;
    },
    build() {
      const offsets = new Uint32Array(numbers.size + 1);
      const pieces = [...numbers.keys()].map((text) => Buffer.from(text, 'utf8'));
      for (const [index, piece] of pieces.entries()) offsets[index + 1] = (offsets[index] ?? 0) + piece.length;
      const bytes = Uint8Array.from(Buffer.concat([...pieces, Buffer.alloc(COPY_BYTES)]));
      return { view: new DataView(bytes.buffer), offsets };
    },
  };
}

export function putByte(sink: ByteSink, byte: number): void {
  sink.bytes[sink.length] = byte;
  sink.length += 1;
}

/** Copies four bytes at a time. The last step may write a few bytes too many, which the next piece overwrites. */
export function putPiece(sink: ByteSink, lexicon: Lexicon, piece: number): void {
  const start = lexicon.offsets[piece] ?? 0;
  const length = (lexicon.offsets[piece + 1] ?? 0) - start;
  const source = lexicon.view;
  const target = sink.view;
  const to = sink.length;
  for (let at = 0; at < length; at += COPY_BYTES) target.setInt32(to + at, source.getInt32(start + at, true), true);
  sink.length = to + length;
}

export function putText(sink: ByteSink, text: string): void {
  const piece = Buffer.from(text, 'utf8');
  sink.bytes.set(piece, sink.length);
  sink.length += piece.length;
}

/** Decimal digits of a whole number of at most ten digits. */
export function putInteger(sink: ByteSink, value: number): void {
  let digits = 1;
  for (let limit = 10; limit <= value; limit *= 10) digits += 1;
  let rest = value;
  for (let at = sink.length + digits - 1; at >= sink.length; at -= 1) {
    const next = Math.floor(rest / 10);
    sink.bytes[at] = BYTE.zero + (rest - next * 10);
    rest = next;
  }
  sink.length += digits;
}

/** A number given in hundredths, with as many decimals as it needs: 1250 is written 12.5. */
export function putHundredths(sink: ByteSink, hundredths: number): void {
  const whole = Math.floor(hundredths / 100);
  const part = hundredths - whole * 100;
  putInteger(sink, whole);
  if (part === 0) return;
  putByte(sink, BYTE.point);
  const tenths = Math.floor(part / 10);
  putByte(sink, BYTE.zero + tenths);
  if (part !== tenths * 10) putByte(sink, BYTE.zero + (part - tenths * 10));
}
