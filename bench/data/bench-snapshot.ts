// The snapshot that a benchmark works on: the published one, one that is named, or one made for the occasion.
import { dirname, join } from 'node:path';
import { asOperator } from '../../src/cli/operator.ts';
import { OperatorError } from '../../src/domain/error.ts';
import { buildSnapshot } from '../../src/snapshot/build/build.ts';
import { findManifest } from '../../src/snapshot/format/format.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { writeSyntheticSegments } from './synthetic-segments.ts';

export interface SnapshotChoice {
  readonly snapshot?: string | undefined;
  readonly rows?: number | undefined;
  readonly periods: number;
}

/** The snapshot's directory. What is made goes into the scratch directory. */
export async function chooseSnapshot(choice: SnapshotChoice, scratchDirectory: string): Promise<string> {
  if (choice.snapshot !== undefined) return await checkNamed(choice.snapshot);
  if (choice.rows === undefined) return await findPublished();
  const sources = await writeSyntheticSegments({
    directory: join(scratchDirectory, 'segments'),
    termsPerPeriod: choice.rows,
    periodCount: choice.periods,
  });
  const outputDirectory = join(scratchDirectory, 'snapshot');
  await buildSnapshot({ marketplace: 'US', frequency: 'monthly', source: 'search', ...sources, outputDirectory });
  return outputDirectory;
}

/** A directory that is given must hold a snapshot. */
export async function checkNamed(directory: string): Promise<string> {
  if (await findManifest(directory)) return directory;
  throw new OperatorError(`There is no snapshot of this version in ${directory}.`, {
    hint: 'Name one of the directories under snapshots/ in a data directory.',
  });
}

async function findPublished(): Promise<string> {
  return await asOperator(async ({ config, pool }) => {
    const { snapshots } = await loadManifest(pool);
    const published = snapshots.find(
      ({ marketplace, source, frequency }) =>
        marketplace === config.defaultMarketplace && source === 'search' && frequency === 'monthly',
    );
    const [file] = published?.files ?? [];
    if (!file) {
      throw new OperatorError(
        `No monthly data of ${config.defaultMarketplace} is published in ${config.dataDirectory}.`,
        {
          hint: 'Fill it with "keyrank demo generate --size m --import", or give --rows to measure on data of its own.',
        },
      );
    }
    return join(config.dataDirectory, dirname(file.path));
  });
}
