// The thread that writes exports: it reads rows, makes the file and compresses it, and hands over bytes. One thread for all of
// them, of the lowest priority: what exports cost, searches and the event loop do not notice.
import type { Readable } from 'node:stream';
import type { SearchRow } from '../../domain/search-row.ts';
import { FILE_FORMS } from '../../export/export-file.ts';
import { keywordTable } from '../../export/keyword-table.ts';
import { search } from '../query/search.ts';
import { readRows } from '../query/search-rows.ts';
import type { ExportPiece, ExportTask } from './export-task.ts';
import { serveTasks, type TaskContext } from './worker-loop.ts';

interface OpenExport {
  readonly body: Readable;
  readonly pieces: AsyncIterator<Uint8Array>;
  rowCount: number;
}

const NICENESS = 19;
const ROWS_PER_BATCH = 100;
const NOTHING: ExportPiece = { bytes: undefined, rowCount: 0 };

const openExports = new Map<number, OpenExport>();

serveTasks<ExportTask, ExportPiece>({ niceness: NICENESS, run: runTask, handOver: ({ bytes }) => bytes });

async function runTask(task: ExportTask, context: TaskContext): Promise<ExportPiece> {
  switch (task.kind) {
    case 'open':
      openFile(task, context);
      return NOTHING;
    case 'take':
      return await takePiece(task.exportId);
    case 'close':
      await closeFile(task.exportId);
      return NOTHING;
  }
}

function openFile({ exportId, plan, file }: Extract<ExportTask, { kind: 'open' }>, context: TaskContext): void {
  const { content, fileFormat, temporaryDirectory } = file;
  // Searched now, while the task can still be given up; rows are read as the file is taken.
  const { documents, window } = search(context.view, plan, context);
  async function* batches(): AsyncGenerator<readonly SearchRow[]> {
    for (let from = 0; from < documents.length; from += ROWS_PER_BATCH) {
      const rows = readRows(context.view, { plan, documents: documents.slice(from, from + ROWS_PER_BATCH), window });
      yield rows;
      opened.rowCount += rows.length;
    }
  }
  const body = FILE_FORMS[fileFormat].open(keywordTable({ ...content, batches: batches() }), { temporaryDirectory });
  const opened: OpenExport = { body, pieces: body[Symbol.asyncIterator](), rowCount: 0 };
  openExports.set(exportId, opened);
}

/** Resolves when nothing of it runs any more: a thread must not end in the middle of DuckDB's work. */
async function closeFile(exportId: number): Promise<void> {
  const body = openExports.get(exportId)?.body;
  openExports.delete(exportId);
  if (!body || body.closed) return;
  const closed = new Promise((resolve) => body.once('close', resolve));
  body.destroy();
  await closed;
}

async function takePiece(exportId: number): Promise<ExportPiece> {
  const opened = openExports.get(exportId);
  // Its thread died meanwhile, and this is the one in its place.
  if (!opened) throw new Error('the export was lost');
  const { done, value } = await opened.pieces.next();
  // A copy of its own: the stream's buffers are slices of shared ones, which cannot be handed over.
  return { bytes: done ? undefined : new Uint8Array(value), rowCount: opened.rowCount };
}
