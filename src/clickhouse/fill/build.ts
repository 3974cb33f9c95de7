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
import { filesOf, type Piece } from './piece.ts';
import { openPieceWriter, type PieceWriter } from './piece-writer.ts';
import { writePieces } from './pieces.ts';

export interface FillOptions {
  readonly clickHouse: ClickHouse;
  /** Names in the tables are paths in it. */
  readonly dataDirectory: string;
  readonly temporaryDirectory?: string;
  /** That fill tables. */
  readonly threads: number;
  readonly workerFolder?: URL;
}

export function openBuild(options: FillOptions): BuildSnapshot {
  return async (request) => {
    const { clickHouse, dataDirectory, temporaryDirectory = tmpdir() } = options;
    const { signal, outputDirectory, marketplace, source, frequency } = request;
    await checkTables(clickHouse);
    await checkNodes(clickHouse);
    const name = pieceNames(options);
    await using writer = await openPieceWriter({ ...options, temporaryDirectory });
    await writePieces(clickHouse, { pieces: listPieces(request, name), writer: careful(writer, request) }, { signal });
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
export function pieceNames({
  clickHouse,
  dataDirectory,
}: Pick<FillOptions, 'clickHouse' | 'dataDirectory'>): (path: string) => string {
  return (path) => `${nameIn(dataDirectory, path)} on ${clickHouse.nodeCount}`;
}

function listPieces({ periods, dictionaries }: SnapshotRequest, name: (path: string) => string): readonly Piece[] {
  const deltas = dictionaries.terms.map((path): Piece => ({ kind: 'terms', name: name(path), path }));
  const segments = periods.map(
    ({ period, segmentPath: path }): Piece => ({
      ...{ kind: 'points', name: name(path), path, period: periodNumber(period), dictionaries },
    }),
  );
  return [...deltas, ...segments];
}

/** Nothing is read from a file that must not be read. */
function careful(writer: PieceWriter, { beforeRead }: SnapshotRequest): Pick<PieceWriter, 'write'> {
  return {
    write: async (piece, options) => {
      for (const path of beforeRead ? filesOf(piece) : []) await beforeRead?.(path);
      return await writer.write(piece, options);
    },
  };
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
