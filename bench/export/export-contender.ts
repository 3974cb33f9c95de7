// One way to write or read an export, measured in a process of its own, so that none inherits another's heap.

import type { Readable } from 'node:stream';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { keywordTable } from '../../src/export/keyword-table.ts';
import { openWorkbook } from '../../src/export/workbook.ts';
import { writeWithExceljs } from '../peers/exceljs-peer.ts';
import { type ExportSize, freshBatches, madeBatches, syntheticExport } from './export-rows.ts';

export const CONTENDERS = ['own', 'slow', 'many', 'exceljs'] as const;
export type Contender = (typeof CONTENDERS)[number];

export interface ContenderOptions extends ExportSize {
  readonly readers: number;
  readonly exceljs?: string | undefined;
}

export interface ContenderResult {
  readonly rowsPerSecond: number;
  readonly cpuSeconds: number;
  readonly sizeBytes: number;
  /** Of resident memory, from before the first row to the highest point. */
  readonly growthBytes: number;
}

const SLOW_BYTES_PER_SECOND = 4_000_000;
const SAMPLE_MS = 20;

export async function runContender(contender: Contender, options: ContenderOptions): Promise<ContenderResult> {
  switch (contender) {
    case 'own':
      return await measure(
        () => drain(openWorkbook(keywordTable(syntheticExport(options, madeBatches)))),
        options.rows,
      );
    case 'slow':
      return await measure(() => drainSlowly(options, SLOW_BYTES_PER_SECOND), options.rows);
    case 'many': {
      // Shorter exports: what counts is the memory of many at once, not their length.
      const size = { ...options, rows: Math.ceil(options.rows / 10) };
      return await measure(async () => {
        const drained = Array.from({ length: options.readers }, () => drainSlowly(size, SLOW_BYTES_PER_SECOND / 4));
        return (await Promise.all(drained)).reduce((sum, sizeBytes) => sum + sizeBytes, 0);
      }, size.rows * options.readers);
    }
    case 'exceljs':
      return await measure(
        () => writeWithExceljs(syntheticExport(options, madeBatches), options.exceljs ?? ''),
        options.rows,
      );
  }
}

function drainSlowly(size: ExportSize, bytesPerSecond: number): Promise<number> {
  return drain(openWorkbook(keywordTable(syntheticExport(size, freshBatches))), bytesPerSecond);
}

async function drain(readable: Readable, bytesPerSecond = Number.POSITIVE_INFINITY): Promise<number> {
  let sizeBytes = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (bytesPerSecond === Number.POSITIVE_INFINITY) done();
      else setTimeout(done, (chunk.length / bytesPerSecond) * 1000);
    },
  });
  await pipeline(readable, sink);
  return sizeBytes;
}

async function measure(work: () => Promise<number>, rows: number): Promise<ContenderResult> {
  globalThis.gc?.();
  const startBytes = process.memoryUsage.rss();
  let peakBytes = startBytes;
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, SAMPLE_MS);
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  const sizeBytes = await work();
  const seconds = (performance.now() - startMs) / 1000;
  const cpu = process.cpuUsage(startCpu);
  clearInterval(timer);
  return {
    rowsPerSecond: rows / seconds,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    sizeBytes,
    growthBytes: peakBytes - startBytes,
  };
}
