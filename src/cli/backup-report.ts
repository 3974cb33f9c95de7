import type { BackupContents } from '../backup/backup-contents.ts';
import type { CopyProgress } from '../backup/file-copy.ts';
import { count } from './output.ts';
import { openStopSignal } from './stop-signal.ts';

interface Shown {
  readonly onWait: () => void;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

/** Shows how far the copying is, in a terminal, and lets it be stopped. */
export async function withCopyProgress<T>(work: (shown: Shown) => Promise<T>): Promise<T> {
  using stopping = openStopSignal('Stopped. Nothing was changed.');
  const { stderr } = process;
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
  try {
    return await work({
      signal: stopping.signal,
      onWait: () => stderr.write('waiting for an import to finish\n'),
      onProgress: ({ bytesDone, bytesTotal }) => {
        if (stderr.isTTY) stderr.write(`\r\u001b[K${megabytes(bytesDone)} of ${megabytes(bytesTotal)} MB`);
      },
    });
  } finally {
    if (stderr.isTTY) stderr.write('\r\u001b[K');
  }
}

export function presentContents({ version, createdAt, schemaVersion, tables, files }: BackupContents) {
  return {
    version,
    created_at: createdAt,
    schema_version: schemaVersion,
    rows: sum(tables.map(({ rows }) => rows)),
    files: files.length,
    size_bytes: sum([...tables.map(({ file }) => file.sizeBytes), ...files.map(({ sizeBytes }) => sizeBytes)]),
  };
}

export function describeContents(contents: BackupContents): string {
  const { rows, files, size_bytes } = presentContents(contents);
  const size = `${(size_bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
  return `${count(rows)} rows and ${count(files)} files, ${size},`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
