import type { Command } from 'commander';
import { type CopyProgress, writeBackup } from '../backup/backup.ts';
import type { BackupContents } from '../backup/backup-contents.ts';
import { restoreBackup } from '../backup/restore.ts';
import { OperatorError } from '../domain/error.ts';
import { VERSION } from '../version.ts';
import { asOperator } from './operator.ts';
import { print } from './output.ts';

export function registerBackup(program: Command): void {
  program
    .command('backup')
    .argument('<dir>', 'directory to make; it must not exist')
    .description('copy the database and all published files, while the service goes on; imports wait')
    .option('--json', 'print JSON')
    .action(async (directory: string, { json }: { json?: boolean }) => {
      const contents = await withProgress((shown) =>
        asOperator(({ config, server, pool }) =>
          writeBackup({
            ...shown,
            server,
            pool,
            dataDirectory: config.dataDirectory,
            directory,
            version: VERSION,
            now: () => new Date(),
          }),
        ),
      );
      print(presentContents(contents), { json, lines: [`Backed up ${describeContents(contents)} to ${directory}.`] });
    });
  program
    .command('restore')
    .argument('<dir>', 'a directory that keyrank backup made')
    .description('bring a backup back, into an empty database and data directory')
    .option('--json', 'print JSON')
    .action(async (directory: string, { json }: { json?: boolean }) => {
      const contents = await withProgress((shown) =>
        asOperator(({ config, server, pool }) =>
          restoreBackup({ ...shown, server, pool, dataDirectory: config.dataDirectory, directory }),
        ),
      );
      print(presentContents(contents), { json, lines: [`Restored ${describeContents(contents)} from ${directory}.`] });
    });
}

interface Shown {
  readonly onWait: () => void;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

/** Shows how far the copying is, in a terminal, and lets it be stopped. */
async function withProgress<T>(work: (shown: Shown) => Promise<T>): Promise<T> {
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

function presentContents({ version, createdAt, schemaVersion, tables, files }: BackupContents) {
  return {
    version,
    created_at: createdAt,
    schema_version: schemaVersion,
    rows: sum(tables.map(({ rows }) => rows)),
    files: files.length,
    size_bytes: sum([...tables.map(({ file }) => file.sizeBytes), ...files.map(({ sizeBytes }) => sizeBytes)]),
  };
}

function describeContents(contents: BackupContents): string {
  const { rows, files, size_bytes } = presentContents(contents);
  const size = `${(size_bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
  return `${rows.toLocaleString('en-US')} rows and ${files.toLocaleString('en-US')} files, ${size},`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
