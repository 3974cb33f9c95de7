import type { UploadLimits } from './report-uploads.ts';

const HOUR_MS = 3_600_000;

export interface UploadSettings {
  /** Of report files that operators send. */
  readonly uploadLimits: UploadLimits;
  /** A sent file that nobody goes on with for so long is removed. */
  readonly uploadIdleMs: number;
}

export const UPLOAD_SETTINGS = [
  {
    name: 'KEYRANK_UPLOAD_MAX_MB',
    default: '10000',
    meaning: 'The largest report file that an operator may send over HTTP, as it is sent.',
  },
  {
    name: 'KEYRANK_UPLOAD_TOTAL_MB',
    default: '30000',
    meaning: 'What all files together may have that were sent and are not imported yet.',
  },
  {
    name: 'KEYRANK_UPLOAD_FREE_MB',
    default: '2000',
    meaning: 'What sent files leave free on the disk of the data directory.',
  },
  {
    name: 'KEYRANK_UPLOAD_HOURS',
    default: '48',
    meaning: 'A sent file with which nobody goes on for so long is removed.',
  },
] as const;

type UploadSetting = (typeof UPLOAD_SETTINGS)[number]['name'];

export function readUploadSettings(
  integer: (name: UploadSetting, range: { min: number; max: number }) => number,
): UploadSettings {
  return {
    uploadLimits: {
      fileBytes: integer('KEYRANK_UPLOAD_MAX_MB', { min: 1, max: 1_000_000 }) * 1e6,
      totalBytes: integer('KEYRANK_UPLOAD_TOTAL_MB', { min: 1, max: 10_000_000 }) * 1e6,
      freeBytes: integer('KEYRANK_UPLOAD_FREE_MB', { min: 0, max: 10_000_000 }) * 1e6,
    },
    uploadIdleMs: integer('KEYRANK_UPLOAD_HOURS', { min: 1, max: 10_000 }) * HOUR_MS,
  };
}
