import type { ReportImport } from '../api/wire.ts';
import { formatNumber, formatPeriod } from '../parts/format.ts';

const STATES: Readonly<Record<string, string>> = {
  uploading: 'Not sent completely',
  uploaded: 'Waiting to be checked',
  checking: 'Checking',
  checked: 'Checked: waits for you',
  approved: 'Waiting to be published',
  importing: 'Publishing',
  done: 'Published',
  undo_requested: 'Waiting to be undone',
  undoing: 'Undoing',
  undone: 'Undone',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

const STAGES: Readonly<Record<string, string>> = {
  waiting: 'waiting for another import',
  fetching: 'fetching from the object storage',
  unpacking: 'unpacking',
  reading: 'reading',
  checking: 'looking at the rows',
  numbering: 'looking up terms and products',
  writing: 'writing',
  snapshot: 'building what searches read',
  publishing: 'publishing',
};

export function stateWords({ state }: ReportImport): string {
  return STATES[state] ?? state;
}

/** "reading, 40 MB/s, 1,200 rows" */
export function progressWords({ progress }: ReportImport): string {
  if (!progress) return '';
  const rate = progress.bytes_per_second ? `${formatBytes(progress.bytes_per_second)}/s` : '';
  const rows = progress.rows === null ? '' : `${formatNumber(progress.rows)} rows`;
  return [STAGES[progress.stage] ?? progress.stage, rate, rows].filter(Boolean).join(', ');
}

/** "US W28, 5–11 Jul 2026" */
export function periodWords({ marketplace, period, type, source }: PeriodName): string {
  return `${marketplace} ${formatPeriod(period, type)}${source === 'social' ? ', social media' : ''}`;
}

type PeriodName = Pick<
  NonNullable<ReportImport['report']>['periods'][number],
  'marketplace' | 'period' | 'type' | 'source'
>;

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [size, unit] = bytes < 1e6 ? [1e3, 'kB'] : bytes < 1e9 ? [1e6, 'MB'] : [1e9, 'GB'];
  return `${(bytes / size).toFixed(bytes / size < 10 ? 1 : 0)} ${unit}`;
}

/** "2 min left" */
export function timeLeft(bytes: number, bytesPerSecond: number): string {
  if (bytesPerSecond <= 0) return '';
  const seconds = Math.ceil(bytes / bytesPerSecond);
  return seconds < 90 ? `${seconds} s left` : `${formatNumber(Math.round(seconds / 60))} min left`;
}
