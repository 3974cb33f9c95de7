import { type Command, InvalidArgumentError } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { describeStorage, type MoveSummary, moveStorage } from '../ingest/publish/storage-move.ts';
import { openStorage } from '../storage/object-store.ts';
import { nameLocation, parseS3Location } from '../storage/s3-location.ts';
import { withCopyProgress } from './backup-report.ts';
import { asOperator, type Operator } from './operator.ts';
import { count, type JsonFlag, print } from './output.ts';

interface MoveFlags extends JsonFlag {
  readonly to: string;
  readonly dryRun?: boolean;
}

const EXAMPLES = `
The endpoint, the region and the keys are settings (KEYRANK_STORAGE_…). Nothing is deleted where the files were. Imports wait meanwhile,
and servers go on serving; start them again with the new setting.

Examples:
  keyrank storage move --to s3://ranks/keyrank --dry-run
  keyrank storage move --to s3://ranks/keyrank
  keyrank storage move --to local`;

export function registerStorage(program: Command): void {
  const storage = program.command('storage').description('where published files lie: the data directory, or a bucket');

  storage
    .command('status')
    .description('where published files lie, and how many they are')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonFlag) => {
      const { location, files, sizeBytes } = await asOperator(describeStorage);
      const lines = [`${count(files)} files, ${megabytes(sizeBytes)}, lie in ${location ?? 'the data directory'}.`];
      print({ location, files, size_bytes: sizeBytes }, { json, lines });
    });

  storage
    .command('move')
    .description('copy all published files to a bucket, or back to the data directory, and use them from there')
    .requiredOption('--to <place>', 's3://bucket/prefix, or "local"', parsePlace)
    .option('--dry-run', 'say what would be copied')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async ({ to, dryRun = false, json }: MoveFlags) => {
      const summary = await withCopyProgress((shown) =>
        asOperator((operator) => moveStorage({ ...shown, ...placesOf(operator), to: placeOf(to), isDryRun: dryRun })),
      );
      print(present(summary, dryRun), { json, lines: describe(summary, dryRun) });
    });
}

function placesOf({ pool, config }: Operator) {
  const openStore = (location: string | null) => {
    const parsed = location === null ? null : parseS3Location(location);
    if (parsed === undefined) throw new OperatorError(`${location} is not the name of a bucket.`);
    return openStorage({ ...config, storageLocation: parsed });
  };
  return { pool, dataDirectory: config.dataDirectory, openStore };
}

function parsePlace(text: string): string {
  if (text === 'local') return text;
  const location = parseS3Location(text);
  if (location) return nameLocation(location);
  throw new InvalidArgumentError('Use s3://bucket/prefix, or local.');
}

function placeOf(to: string): string | null {
  return to === 'local' ? null : to;
}

function present({ from, to, files, sizeBytes, copiedFiles, copiedBytes }: MoveSummary, isDryRun: boolean) {
  const copied = { copied_files: copiedFiles, copied_bytes: copiedBytes };
  return { from, to, files, size_bytes: sizeBytes, ...copied, moved: !isDryRun && from !== to };
}

function describe({ from, to, files, sizeBytes, copiedFiles, copiedBytes }: MoveSummary, isDryRun: boolean) {
  const there = to ?? 'the data directory';
  if (from === to) return [`The ${count(files)} published files lie in ${there} already.`];
  const copied = `${count(copiedFiles)} files (${megabytes(copiedBytes)}) of ${count(files)} (${megabytes(sizeBytes)})`;
  if (isDryRun) return [`Would copy ${copied} from ${from ?? 'the data directory'} to ${there}. Nothing was changed.`];
  return [
    `Copied ${copied} to ${there}, where all of them lie now.`,
    `Set KEYRANK_STORAGE=${to ?? ''} and start the servers again.`,
  ];
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
}
