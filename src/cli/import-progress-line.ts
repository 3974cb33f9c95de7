// Progress of an import: one line that is rewritten in a terminal, a plain line per stage in a pipe.
import { basename } from 'node:path';
import type { WriteStream } from 'node:tty';
import type { ImportProgress, ImportStage } from '../ingest/import-request.ts';
import { count, oneLine } from './output.ts';

const STAGES: Readonly<Record<ImportStage, string>> = {
  waiting: 'waiting for another import',
  unpacking: 'unpacking',
  reading: 'reading',
  checking: 'checking',
  numbering: 'looking up terms and products',
  writing: 'writing',
  snapshot: 'building the snapshot',
  publishing: 'publishing',
};

export interface ProgressLine extends Disposable {
  show(progress: ImportProgress, nowMs: number): void;
  /** A line that stays. */
  warn(message: string): void;
}

export function openProgressLine(stream: Pick<WriteStream, 'write' | 'isTTY'>): ProgressLine {
  let stageKey = '';
  let stageStartMs = 0;
  return {
    show(progress, nowMs) {
      const key = `${progress.file} ${progress.stage}`;
      const isNew = key !== stageKey;
      if (isNew) {
        stageKey = key;
        stageStartMs = nowMs;
      }
      if (stream.isTTY) stream.write(`\r\u001b[K${describeProgress(progress, nowMs - stageStartMs)}`);
      else if (isNew) stream.write(`${describeProgress(progress, 0)}\n`);
    },
    warn(message) {
      stream.write(`${stream.isTTY ? '\r\u001b[K' : ''}Warning: ${message}\n`);
    },
    [Symbol.dispose]() {
      if (stream.isTTY && stageKey !== '') stream.write('\r\u001b[K');
    },
  };
}

export function describeProgress(progress: ImportProgress, elapsedMs: number): string {
  const { stage, bytesDone, bytesTotal, rows } = progress;
  const file = oneLine(basename(progress.file));
  const parts = [file === '' ? STAGES[stage] : `${file}: ${STAGES[stage]}`];
  const isMeasured = stage === 'unpacking' || stage === 'reading';
  if (isMeasured && bytesTotal > 0 && bytesDone > 0) {
    parts.push(`${Math.round((bytesDone / bytesTotal) * 100)} % of ${Math.round(bytesTotal / 1e6)} MB`);
    if (elapsedMs > 0) {
      parts.push(`${(bytesDone / 1e3 / elapsedMs).toFixed(0)} MB/s`);
      parts.push(`${Math.ceil((elapsedMs / bytesDone) * (bytesTotal - bytesDone) * 1e-3)} s left`);
    }
  }
  if (rows !== undefined) parts.push(`${count(rows)} rows`);
  return parts.join(', ');
}
