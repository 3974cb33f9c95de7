// The first lines of a report and its last are read here, to recognise the file and to see whether it is whole. The rows
// in between are DuckDB's work.
import { csvField } from '../../domain/csv-text.ts';

export interface CsvRecord {
  readonly fields: readonly string[];
  /** Position after the record and its line end. */
  readonly end: number;
  /** False when the text stops inside a quoted field. */
  readonly isClosed: boolean;
}

/** Reads the record that starts at a position. A quote counts only at the start of a field, as in RFC 4180. */
export function parseCsvRecord(
  text: string,
  start: number,
  { maxFields = Number.POSITIVE_INFINITY }: { readonly maxFields?: number } = {},
): CsvRecord {
  const fields: string[] = [];
  let position = start;
  for (;;) {
    const field = text[position] === '"' ? readQuoted(text, position + 1) : readPlain(text, position);
    fields.push(field.value);
    if (!field.isClosed) return { fields, end: text.length, isClosed: false };
    position = field.end;
    if (text[position] === ',' && fields.length < maxFields) {
      position += 1;
      continue;
    }
    if (text[position] === '\r' && text[position + 1] === '\n') position += 1;
    return { fields, end: Math.min(position + 1, text.length), isClosed: true };
  }
}

/** Writes one record with the quotes it needs, and its line end. Texts of a report are safe in spreadsheets. */
export function presentCsvRecord(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\n`;
}

interface Field {
  readonly value: string;
  readonly end: number;
  readonly isClosed: boolean;
}

function readQuoted(text: string, start: number): Field {
  let value = '';
  let position = start;
  for (;;) {
    const quote = text.indexOf('"', position);
    if (quote < 0) return { value: value + text.slice(position), end: text.length, isClosed: false };
    value += text.slice(position, quote);
    if (text[quote + 1] !== '"') {
      // Text between the closing quote and the comma is kept, as spreadsheets do.
      const rest = readPlain(text, quote + 1);
      return { value: value + rest.value, end: rest.end, isClosed: true };
    }
    value += '"';
    position = quote + 2;
  }
}

function readPlain(text: string, start: number): Field {
  let end = start;
  while (end < text.length && text[end] !== ',' && text[end] !== '\n' && !isLineEnd(text, end)) end += 1;
  return { value: text.slice(start, end), end, isClosed: true };
}

function isLineEnd(text: string, position: number): boolean {
  return text[position] === '\r' && text[position + 1] === '\n';
}
