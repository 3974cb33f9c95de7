// What is printed of the comparison with a cluster.
import { tabulate } from '../../src/cli/output.ts';
import type { Times } from '../peers/compared-times.ts';
import type { StoreCase } from './store-comparison.ts';

/** What building takes: everything, and one more period on top of the others. */
export interface BuildTimes {
  readonly refillMs: number;
  readonly publishMs: number;
}

export interface ClusterBench extends BuildTimes {
  readonly shards: number;
  /** On the disks of all nodes. */
  readonly storedBytes: Readonly<Record<string, number>>;
  readonly cases: readonly StoreCase[];
}

export interface ClickHouseBench {
  readonly keywords: number;
  readonly points: number;
  readonly periods: number;
  readonly memory: BuildTimes & { readonly residentBytes: number };
  readonly clusters: readonly ClusterBench[];
  readonly leftOut: string | undefined;
}

export function presentClickHouseBench({
  keywords,
  points,
  periods,
  memory,
  clusters,
  leftOut,
}: ClickHouseBench): readonly string[] {
  const head = `${keywords.toLocaleString('en')} keywords, ${points.toLocaleString('en')} points, ${periods} periods`;
  if (leftOut !== undefined) return [head, `ClickHouse was left out: ${leftOut}`];
  const builds = [
    ['memory', seconds(memory.refillMs), seconds(memory.publishMs), megabytes(memory.residentBytes)],
    ...clusters.map((cluster) => [
      shardText(cluster),
      seconds(cluster.refillMs),
      seconds(cluster.publishMs),
      megabytes(Object.values(cluster.storedBytes).reduce((sum, bytes) => sum + bytes, 0)),
    ]),
  ];
  const questions = (clusters[0]?.cases ?? []).map(({ name, totalCount }, i) => [
    name,
    totalCount.toLocaleString('en'),
    ...clusters.flatMap(({ cases }) => caseTexts(cases[i])),
  ]);
  return [
    head,
    '',
    ...tabulate(['', 'all periods but the last', 'the last one', 'in memory, or on disks'], builds),
    '',
    ...tabulate(
      [
        'milliseconds, minimum / median',
        'matches',
        ...clusters.flatMap((cluster) => ['memory', shardText(cluster), 'ratio']),
      ],
      questions,
    ),
    '',
    ...clusters.flatMap((cluster) => sizeLines(cluster, points)),
    ...clusters.flatMap((cluster) =>
      cluster.cases.flatMap(({ name, difference }) =>
        difference === undefined ? [] : [`${shardText(cluster)}: ${name}: ${difference}`],
      ),
    ),
  ];
}

function caseTexts(found: ClusterBench['cases'][number] | undefined): readonly string[] {
  if (!found) return ['–', '–', '–'];
  const { memory, cluster, ratio, difference } = found;
  return [
    timesText(memory),
    `${timesText(cluster)}${difference === undefined ? '' : ' *'}`,
    `${ratio.toFixed(ratio < 10 ? 1 : 0)} ×`,
  ];
}

function sizeLines(cluster: ClusterBench, points: number): readonly string[] {
  const rows = Object.entries(cluster.storedBytes)
    .filter(([, bytes]) => bytes > 0)
    .map(([table, bytes]) => [table, megabytes(bytes), (bytes / points).toFixed(1)]);
  return [...tabulate([shardText(cluster), 'on disks', 'bytes per point'], rows), ''];
}

function shardText({ shards }: ClusterBench): string {
  return shards === 1 ? '1 shard' : `${shards} shards`;
}

function timesText({ minMs, medianMs }: Times): string {
  return `${short(minMs)} / ${short(medianMs)}`;
}

function short(ms: number): string {
  return ms >= 99.5 ? ms.toFixed(0) : ms.toPrecision(2);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
}
