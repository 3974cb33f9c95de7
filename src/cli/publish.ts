import { type Command, Option } from 'commander';
import { publishAgain, RANK_STORES, type RankStoreName } from '../ingest/publish/rank-stores.ts';
import { openStorage } from '../storage/object-store.ts';
import { asOperator, type Operator, openPublication } from './operator.ts';
import { count, type JsonFlag, print } from './output.ts';
import { openStopSignal } from './stop-signal.ts';

interface PublishFlags extends JsonFlag {
  readonly to: RankStoreName;
}

const EXAMPLES = `
All that is published is made again from its segments, beside what is served, and shown in one step. Stopped before that, nothing has
changed. Servers that have the other setting go on serving what they have; start them again with the new one.

After a change of the number of nodes the same command spreads the rows over all of them.

Examples:
  keyrank publish --to clickhouse
  keyrank publish --to memory`;

export function registerPublish(program: Command): void {
  program
    .command('publish')
    .description('make all that is published again, for one of the rank stores')
    .addOption(new Option('--to <store>', 'where searches will look').choices([...RANK_STORES]).makeOptionMandatory())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async ({ to, json }: PublishFlags) => {
      using stopping = openStopSignal('Stopped. Nothing was changed.');
      const sets = await asOperator((operator) => publishTo(operator, to, stopping.signal));
      const lines = [`${count(sets)} sets are published for KEYRANK_RANK_STORE=${to}.`];
      print({ store: to, sets }, { json, lines });
    });
}

async function publishTo({ config, pool }: Operator, to: RankStoreName, signal: AbortSignal): Promise<number> {
  const built = to === 'clickhouse' ? openPublication(config) : undefined;
  const { buildSnapshot } = built ?? (await import('../snapshot/build/build.ts'));
  return await publishAgain({
    ...{ pool, signal, buildSnapshot, dataDirectory: config.dataDirectory, storage: openStorage(config) },
    elsewhere: built,
    now: () => new Date(),
    onWait: () => console.error('Another import is under way; waiting for it.'),
    onStart: (sets) => console.error(`Making ${count(sets)} sets.`),
    onWarning: (message) => console.error(`warning: ${message}`),
  });
}
