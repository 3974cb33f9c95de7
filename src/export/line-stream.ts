// What the line-based forms share: rows become lines, lines become chunks of a bounded size, the announced count holds.
import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import type { KeywordExport } from '../domain/keyword-export.ts';
import type { SearchRow } from '../domain/search-row.ts';
import { openBytes } from './byte-stream.ts';

const CHUNK_CHARACTERS = 64 * 1024;

export interface LineForm {
  /** Written before the first row; may be empty. */
  readonly head: string;
  readonly line: (row: SearchRow) => string;
}

/** Built only as fast as it is read. A failure destroys the stream, which a client sees as a broken transfer. */
export function openLines(input: KeywordExport, form: LineForm): Readable {
  return openBytes(lineChunks(input, form));
}

async function* lineChunks({ batches, description }: KeywordExport, { head, line }: LineForm): AsyncGenerator<Buffer> {
  let text = head;
  let rowCount = 0;
  for await (const batch of batches) {
    for (const row of batch) {
      rowCount += 1;
      text += line(row);
      if (text.length >= CHUNK_CHARACTERS) {
        yield Buffer.from(text, 'utf8');
        text = '';
      }
    }
  }
  assert.equal(rowCount, description.rowCount, 'The batches hold another number of rows than was announced.');
  if (text !== '') yield Buffer.from(text, 'utf8');
}
