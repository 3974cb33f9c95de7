import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { WatchedFolder, type WatchedOutcome } from '../boot/watched-folder.ts';
import { OperatorError } from '../domain/error.ts';
import { RANK_SOURCES, type RankSource } from '../domain/store.ts';
import { withWatchLock } from '../postgres/import-lock.ts';
import { asOperator } from './operator.ts';
import { type JsonFlag, oneLine } from './output.ts';
import { openStopSignal } from './stop-signal.ts';

const LOOK_EVERY_MS = 2_000;

export function registerWatch(program: Command): void {
  program
    .command('watch')
    .description(
      'import the report files that appear in a folder, until it is stopped; they are moved to done/ or failed/',
    )
    .argument('<directory>', 'the folder')
    .addOption(new Option('--source <source>', 'what the ranks are of').choices(RANK_SOURCES).default('search'))
    .option('--json', 'print a line of JSON for each file')
    .addHelpText(
      'after',
      '\nA file is imported when it has stopped growing. A server does the same with KEYRANK_WATCH_DIR.',
    )
    .action(async (directory: string, { source, json }: JsonFlag & { source: RankSource }) => {
      using stopping = openStopSignal('The watch was stopped.');
      await watch(resolve(directory), { source, signal: stopping.signal, onFile: (outcome) => tell(outcome, json) });
    });
}

async function watch(
  directory: string,
  options: {
    readonly source: RankSource;
    readonly signal: AbortSignal;
    readonly onFile: (outcome: WatchedOutcome) => void;
  },
): Promise<void> {
  const { signal } = options;
  const found = await stat(directory).catch(() => undefined);
  if (!found?.isDirectory()) throw new OperatorError(`${directory} is not a folder.`, { hint: 'Make it first.' });
  const folder = new WatchedFolder({ ...options, directory, now: () => new Date() });
  await asOperator(async ({ pool }) => {
    while (!signal.aborted) {
      await withWatchLock(pool, () => folder.look()).catch((error: unknown) => {
        if (!signal.aborted) throw explain(error);
      });
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  });
}

/** What the system says of a folder is for the operator. */
function explain(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('path' in error)) return error;
  return new OperatorError(`The folder cannot be used: ${error.message}.`, { cause: error });
}

function tell({ file, status, reason = '' }: WatchedOutcome, json: boolean | undefined): void {
  console.log(
    json ? JSON.stringify({ file, status, reason }) : oneLine(`${file}: ${status}${reason && ` (${reason})`}`),
  );
}
