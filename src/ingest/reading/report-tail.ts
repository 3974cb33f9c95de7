// A download that was cut short ends in the middle of a row. Rows in the middle of a file may be bad; a bad end means that
// an unknown number of rows is missing.
import { open } from 'node:fs/promises';
import { parseCsvRecord } from './csv-record.ts';
import { ReportFault } from './report-fault.ts';
import { countLinesOf } from './report-lines.ts';

/** More than any row; titles have 200 characters. */
const TAIL_BYTES = 256 * 1024;
/** Line breaks inside the quotes of the last row that are looked behind. */
const MAX_INNER_BREAKS = 20;

export async function checkWhole({ path, columns }: { path: string; columns: number }): Promise<void> {
  const tail = await readTail(path);
  if (tail === '' || tail.endsWith('\n')) return;
  let start = tail.length;
  for (let breaks = 0; breaks <= MAX_INNER_BREAKS && start > 0; breaks += 1) {
    start = tail.lastIndexOf('\n', start - 1);
    const record = parseCsvRecord(tail, start + 1);
    if (record.isClosed && record.end === tail.length && record.fields.length === columns) return;
    if (start < 0) break;
  }
  throw new ReportFault('The file was cut short: its last row is not complete.', {
    line: (await countLinesOf(path)) + 1,
    hint: 'Download it again.',
  });
}

async function readTail(path: string): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  const length = Math.min(size, TAIL_BYTES);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString('utf8');
}
