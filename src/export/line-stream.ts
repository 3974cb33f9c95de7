// What the line-based forms share: rows become lines, lines become chunks of a bounded size, the announced count holds.
import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { openBytes } from './byte-stream.ts';
import type { Table } from './table.ts';

const CHUNK_CHARACTERS = 64 * 1024;

export interface LineForm<Row> {
  /** Written before the first row; may be empty. */
  readonly head: string;
  readonly line: (row: Row) => string;
}

/** Built only as fast as it is read. A failure destroys the stream, which a client sees as a broken transfer. */
export function openLines<Row>(table: Table<Row>, form: LineForm<Row>): Readable {
  return openBytes(lineChunks(table, form));
}

async function* lineChunks<Row>(table: Table<Row>, { head, line }: LineForm<Row>): AsyncGenerator<Buffer> {
  let text = head;
  let rowCount = 0;
  for await (const batch of table.batches) {
    for (const row of batch) {
      rowCount += 1;
      text += line(row);
      if (text.length >= CHUNK_CHARACTERS) {
        yield Buffer.from(text, 'utf8');
        text = '';
      }
    }
  }
  assert.equal(rowCount, table.rowCount, 'The batches hold another number of rows than was announced.');
  if (text !== '') yield Buffer.from(text, 'utf8');
}
