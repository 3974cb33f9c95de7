import type { BackupContents } from '../backup/backup-contents.ts';
import type { CopyProgress } from '../backup/file-copy.ts';
import { OperatorError } from '../domain/error.ts';

interface Shown {
  readonly onWait: () => void;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

/** Shows how far the copying is, in a terminal, and lets it be stopped. */
export async function withCopyProgress<T>(work: (shown: Shown) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = () => stopping.abort(new OperatorError('Stopped. Nothing was changed.'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
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
    process.off('SIGINT', stop).off('SIGTERM', stop);
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
  return `${rows.toLocaleString('en-US')} rows and ${files.toLocaleString('en-US')} files, ${size},`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
