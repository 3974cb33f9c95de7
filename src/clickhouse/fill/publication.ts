// What lies in ClickHouse beside the manifest: leftovers are dropped, what is published is announced to analysts, and all of it can be
// read again.
import { join } from 'node:path';
import type { StorageFault } from '../../domain/rank-publisher.ts';
import type { BuiltElsewhere } from '../../ingest/publish/built-elsewhere.ts';
import type { Manifest } from '../../snapshot/manifest/manifest.ts';
import type { ClickHouse } from '../connection.ts';
import { checkTables, namesIn } from '../schema.ts';
import { join as joinSql, name, type Sql, sql } from '../sql.ts';
import { type FillOptions, openBuild, pieceNames } from './build.ts';
import { dropGeneration } from './generation.ts';
import { comparePiece, dropPiece } from './pieces.ts';

/** For the file publisher. */
export function openClickHousePublication(options: FillOptions): BuiltElsewhere {
  const { clickHouse } = options;
  return {
    store: 'clickhouse',
    buildSnapshot: openBuild(options),
    sweep: async (manifest) => {
      await checkTables(clickHouse);
      await announce(clickHouse, manifest.version, listNamed(options, manifest));
      await sweep(clickHouse, listNamed(options, manifest));
    },
    announce: (manifest) => announce(clickHouse, manifest.version, listNamed(options, manifest)),
    verify: (manifest, onItem) => verify(clickHouse, listNamed(options, manifest), onItem),
  };
}

/** What the manifest names. */
interface Named {
  readonly generations: readonly string[];
  readonly segments: readonly string[];
  readonly deltas: readonly string[];
  /** Of revisions that can come back. */
  readonly keptSegments: readonly string[];
}

function listNamed(options: FillOptions, manifest: Manifest): Named {
  const nameOf = pieceNames(options);
  const pieceAt = (path: string) => nameOf(join(options.dataDirectory, path));
  return {
    generations: manifest.snapshots.flatMap(({ files }) =>
      files.map(({ path }) => path.slice(0, path.lastIndexOf('/'))),
    ),
    segments: manifest.periods.map(({ segment }) => pieceAt(segment.path)),
    deltas: manifest.dictionaries.filter(({ kind }) => kind === 'terms').map(({ file }) => pieceAt(file.path)),
    keptSegments: manifest.keptRevisions.map(({ published }) => pieceAt(published.segment.path)),
  };
}

/** Whatever was interrupted, and what was replaced. */
async function sweep(clickHouse: ClickHouse, named: Named): Promise<void> {
  const { generations, documents, postings, words, points, holdings, terms, pieces } = namesIn(clickHouse.database);
  const kept = new Set([...named.generations, ...named.segments, ...named.deltas, ...named.keptSegments]);
  const listLeft = async (tables: readonly { readonly all: Sql }[], column: string): Promise<ReadonlySet<string>> => {
    const left = new Set<string>();
    for (const { all } of tables) {
      const found = await clickHouse.rows<{ left: string }>(sql`SELECT DISTINCT ${name(column)} AS left FROM ${all}`);
      for (const row of found) if (!kept.has(row.left)) left.add(row.left);
    }
    return left;
  };
  for (const left of await listLeft([generations, documents, postings, words], 'generation')) {
    await dropGeneration(clickHouse, left);
  }
  const left = [
    ...(await listLeft([pieces], 'piece')),
    ...(await listLeft([points, holdings], 'segment')),
    ...(await listLeft([terms], 'delta')),
  ];
  for (const piece of new Set(left)) await dropPiece(clickHouse, piece);
}

/** Views of analysts show what the newest version names that was announced. */
async function announce(clickHouse: ClickHouse, version: number, named: Named): Promise<void> {
  const { published } = namesIn(clickHouse.database);
  const names = [...named.generations, ...named.segments, ...named.deltas];
  const found = await clickHouse.rows<{ version: number; names: number }>(
    sql`SELECT version, count() AS names FROM ${published.all} GROUP BY version`,
  );
  const announced = found.find((each) => each.version === version)?.names ?? 0;
  const drop = (old: number) => clickHouse.onEachNode(sql`ALTER TABLE ${published.here} DROP PARTITION ${old}`);
  if (announced !== names.length * clickHouse.nodeCount) {
    if (announced > 0) await drop(version);
    const rows = joinSql(
      names.map((each) => sql`(${version}, ${each})`),
      ', ',
    );
    if (names.length > 0)
      await clickHouse.onEachNode(sql`INSERT INTO ${published.here} (version, name) VALUES ${rows}`);
  }
  for (const each of found) if (each.version !== version) await drop(each.version);
}

/** Reads every row again. */
async function verify(
  clickHouse: ClickHouse,
  { generations, segments, deltas, keptSegments }: Named,
  onItem: (name: string) => void,
): Promise<readonly StorageFault[]> {
  const { generations: marks } = namesIn(clickHouse.database);
  const faults: StorageFault[] = [];
  for (const piece of [...segments, ...keptSegments, ...deltas]) {
    onItem(piece);
    // Of a revision that may come back nothing need be there.
    const state = await comparePiece(clickHouse, piece);
    if (state === 'whole' || (state === 'missing' && keptSegments.includes(piece))) continue;
    const fault = state === 'missing' ? 'missing' : 'checksum';
    faults.push({ path: piece, fault, message: 'is not in ClickHouse as it was published.' });
  }
  for (const generation of generations) {
    onItem(generation);
    const [found] = await clickHouse.rows<{ nodes: number }>(
      sql`SELECT count() AS nodes FROM ${marks.all} WHERE generation = ${generation}`,
    );
    if (found?.nodes === clickHouse.nodeCount) continue;
    faults.push({ path: generation, fault: 'missing', message: 'is not in ClickHouse as it was published.' });
  }
  return faults;
}
