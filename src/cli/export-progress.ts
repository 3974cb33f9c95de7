// Progress of an export: a bar that is rewritten in a terminal, a plain line per tenth in a pipe.
import type { WriteStream } from 'node:tty';
import { count } from './output.ts';

export interface ExportProgress extends Disposable {
  show(progress: { readonly done: number; readonly total: number; readonly nowMs: number }): void;
}

const BAR_CHARACTERS = 24;
const REWRITE_MS = 100;

export function openExportProgress(stream: Pick<WriteStream, 'write' | 'isTTY'>, startMs: number): ExportProgress {
  let shownMs = Number.NEGATIVE_INFINITY;
  let shownTenths = 0;
  return {
    show({ done, total, nowMs }) {
      const tenths = Math.floor((done / total) * 10);
      const text = describeExportProgress({ done, total, elapsedMs: nowMs - startMs });
      if (stream.isTTY && nowMs - shownMs >= REWRITE_MS) stream.write(`\r\u001b[K${bar(done / total)} ${text}`);
      else if (!stream.isTTY && tenths > shownTenths) stream.write(`${text}\n`);
      else return;
      shownMs = nowMs;
      shownTenths = tenths;
    },
    [Symbol.dispose]() {
      if (stream.isTTY && shownMs > 0) stream.write('\r\u001b[K');
    },
  };
}

export function describeExportProgress(progress: {
  readonly done: number;
  readonly total: number;
  readonly elapsedMs: number;
}): string {
  const { done, total, elapsedMs } = progress;
  const parts = [`${Math.floor((done / total) * 100)} %`, `${count(done)} of ${count(total)} rows`];
  if (done > 0 && elapsedMs > 0) {
    parts.push(`${count(Math.round((done / elapsedMs) * 1000))} rows/s`);
    parts.push(`${Math.ceil(((elapsedMs / done) * (total - done)) / 1000)} s left`);
  }
  return parts.join(', ');
}

function bar(fraction: number): string {
  const full = Math.round(fraction * BAR_CHARACTERS);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_CHARACTERS - full)}]`;
}
