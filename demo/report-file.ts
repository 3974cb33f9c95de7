// Writes one report file through a large buffer. An unfinished file is removed, so that nobody imports half a period.

import { open, rm } from 'node:fs/promises';
import { type ByteSink, createByteSink } from './byte-sink.ts';

const BUFFER_BYTES = 1 << 20;

interface WriteProgress {
  readonly rows: number;
  readonly totalRows: number;
  readonly sizeBytes: number;
}

export interface WriteOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: WriteProgress) => void;
}

export interface WrittenReport {
  readonly rows: number;
  readonly sizeBytes: number;
}

export interface ReportRows {
  readonly rows: number;
  readonly maxRowBytes: number;
  putHeading(sink: ByteSink): void;
  /** Called once for each row, from 1 on. */
  putRow(sink: ByteSink, row: number): void;
}

export async function writeReportFile(
  path: string,
  report: ReportRows,
  options: WriteOptions = {},
): Promise<WrittenReport> {
  const file = await open(path, 'w');
  try {
    const sink = createByteSink(BUFFER_BYTES);
    let sizeBytes = 0;
    const flush = async (rows: number): Promise<void> => {
      options.signal?.throwIfAborted();
      for (let from = 0; from < sink.length; ) {
        from += (await file.write(sink.bytes, from, sink.length - from)).bytesWritten;
      }
      sizeBytes += sink.length;
      sink.length = 0;
      options.onProgress?.({ rows, totalRows: report.rows, sizeBytes });
    };
    report.putHeading(sink);
    for (let row = 1; row <= report.rows; row += 1) {
      report.putRow(sink, row);
      if (sink.length > BUFFER_BYTES - report.maxRowBytes) await flush(row);
    }
    await flush(report.rows);
    return { rows: report.rows, sizeBytes };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
