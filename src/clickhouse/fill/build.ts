// What the file publisher builds in the place of a snapshot: the rows of a set in ClickHouse. The file that it leaves says which generation
// that is; the manifest names it, and so decides whether the generation is published.
import { mkdir, open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { GENERATION_FILE } from '../../ingest/publish/rank-stores.ts';
import type { BuildSnapshot, SnapshotRequest } from '../../snapshot/manifest/manifest.ts';
import type { ClickHouse } from '../connection.ts';
import { periodNumber } from '../period-number.ts';
import { checkTables } from '../schema.ts';
import { sql } from '../sql.ts';
import { writeGeneration } from './generation.ts';
import { type Piece, writePieces } from './pieces.ts';
import { pointRow, termRow } from './point-rows.ts';
import { SegmentSource } from './segment-source.ts';

export interface FillOptions {
  readonly clickHouse: ClickHouse;
  /** Names in the tables are paths in it. */
  readonly dataDirectory: string;
  readonly temporaryDirectory?: string;
}

export function openBuild(options: FillOptions): BuildSnapshot {
  return async (request) => {
    const { clickHouse, dataDirectory, temporaryDirectory = tmpdir() } = options;
    const { signal, outputDirectory, marketplace, source, frequency } = request;
    await checkTables(clickHouse);
    await checkNodes(clickHouse);
    const name = pieceNames(options);
    await using reader = await SegmentSource.open(temporaryDirectory, request.beforeRead);
    await writePieces(clickHouse, listPieces(request, { name, reader }), { signal });
    signal?.throwIfAborted();
    const facts = {
      set: { marketplace, source, frequency },
      segments: request.periods.map(({ period, segmentPath }) => ({
        period: periodNumber(period),
        piece: name(segmentPath),
      })),
      deltas: request.dictionaries.terms.map(name),
    };
    const generation = nameIn(dataDirectory, outputDirectory);
    await writeGeneration(clickHouse, generation, { facts }, { signal });
    return [await writeGenerationFile(outputDirectory, generation)];
  };
}

/** The name of a generation by the directory of its file. */
export function nameIn(dataDirectory: string, path: string): string {
  return relative(dataDirectory, path).split(sep).join('/');
}

/** With other nodes rows lie elsewhere, so that they are other pieces. */
export function pieceNames({ clickHouse, dataDirectory }: FillOptions): (path: string) => string {
  return (path) => `${nameIn(dataDirectory, path)} on ${clickHouse.nodeCount}`;
}

function listPieces(
  { periods, dictionaries }: SnapshotRequest,
  { name, reader }: { readonly name: (path: string) => string; readonly reader: SegmentSource },
): readonly Piece[] {
  const deltas = dictionaries.terms.map(
    (path): Piece => ({
      kind: 'terms',
      name: name(path),
      rows: async function* () {
        for await (const { termId, term } of reader.terms(path)) yield termRow(termId, term);
      },
    }),
  );
  const segments = periods.map(
    ({ period, segmentPath }): Piece => ({
      kind: 'points',
      name: name(segmentPath),
      rows: async function* () {
        for await (const row of reader.rows(segmentPath, dictionaries)) {
          yield pointRow({ ...row, period: periodNumber(period) });
        }
      },
    }),
  );
  return [...deltas, ...segments];
}

/** What each node has to do is asked of it at its address. */
async function checkNodes(clickHouse: ClickHouse): Promise<void> {
  const { cluster, nodeCount } = clickHouse;
  const [found] = await clickHouse.rows<{ shards: number; replicas: number }>(
    sql`SELECT max(shard_num) AS shards, max(replica_num) AS replicas FROM system.clusters WHERE cluster = ${cluster}`,
  );
  if (found?.shards === nodeCount && found.replicas === 1) return;
  throw new OperatorError(
    `The cluster "${cluster}" has ${found?.shards ?? 0} shards of ${found?.replicas ?? 0}, and CLICKHOUSE_URL names ${nodeCount} nodes.`,
    { hint: 'Name every node of the cluster in CLICKHOUSE_URL; each shard is one node.' },
  );
}

async function writeGenerationFile(directory: string, generation: string): Promise<{ readonly name: string }> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, GENERATION_FILE), `${JSON.stringify({ generation })}\n`, { flag: 'wx', flush: true });
  await using handle = await open(directory, 'r');
  await handle.sync();
  return { name: GENERATION_FILE };
}
