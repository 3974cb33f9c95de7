// Refuses lines that are too long or too wide while a file streams past: DuckDB would take minutes and gigabytes over a line of
// many thousand columns.
import { ReportFault, type ReportLimits } from './report-fault.ts';
import { countLineEnds } from './report-lines.ts';

/** Of shorter lines neither the length nor the number of columns matters. */
const SHORT_LINE_BYTES = 16 * 1024;
const LF = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;

export class LineGuard {
  readonly #limits: ReportLimits;
  /** Line ends before the chunk at hand. */
  #lineEnds = 0;
  /** Of the line that the last chunk ended in. */
  #openBytes = 0;
  #openColumns = 1;
  #isQuoted = false;

  readonly #countsLines: boolean;

  constructor(limits: ReportLimits, { countsLines }: { readonly countsLines: boolean }) {
    this.#limits = limits;
    this.#countsLines = countsLines;
  }

  /** check() without the place of the fault. */
  passes(chunk: Buffer): boolean {
    try {
      this.check(chunk);
      return true;
    } catch (error) {
      if (error instanceof ReportFault) return false;
      throw error;
    }
  }

  /** Takes the next bytes; throws at a line that is too long or has too many columns. */
  check(chunk: Buffer): void {
    let position = 0;
    while (position < chunk.length) {
      // The common case: skip many short lines in one step.
      const room = Math.max(0, SHORT_LINE_BYTES - this.#openBytes);
      const lineEnd = chunk.lastIndexOf(LF, Math.min(position + room, chunk.length - 1));
      if (lineEnd >= position) {
        position = lineEnd + 1;
        this.#startLine();
      } else position = this.#passLongLine(chunk, position);
    }
    if (this.#countsLines) this.#lineEnds += countLineEnds(chunk);
  }

  /** A line that is long, or not over in this chunk. Returns where the next one starts. */
  #passLongLine(chunk: Buffer, start: number): number {
    const lineEnd = chunk.indexOf(LF, start);
    const end = lineEnd < 0 ? chunk.length : lineEnd;
    this.#openBytes += end - start;
    const fault = (what: string, setting: string) =>
      new ReportFault(`The line ${what}.`, {
        line: this.#lineEnds + countLineEnds(chunk.subarray(0, start)) + 1,
        hint: `No report has such lines. If this one is right, raise ${setting}.`,
      });
    if (this.#openBytes > this.#limits.lineBytes) {
      throw fault(
        `has more than ${this.#limits.lineBytes.toLocaleString('en-US')} bytes`,
        'KEYRANK_IMPORT_MAX_LINE_KB',
      );
    }
    for (let position = start; position < end; position += 1) {
      if (chunk[position] === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (chunk[position] === COMMA && !this.#isQuoted) this.#openColumns += 1;
    }
    if (this.#openColumns > this.#limits.columns && this.#openBytes > SHORT_LINE_BYTES) {
      throw fault(
        `has more than ${this.#limits.columns.toLocaleString('en-US')} columns`,
        'KEYRANK_IMPORT_MAX_COLUMNS',
      );
    }
    if (lineEnd < 0) return chunk.length;
    this.#startLine();
    return lineEnd + 1;
  }

  #startLine(): void {
    this.#openBytes = 0;
    this.#openColumns = 1;
    this.#isQuoted = false;
  }
}
