// The comparison for people.
import { tabulate } from '../../src/cli/output.ts';
import type { Times } from '../peers/compared-times.ts';
import { type ColumnSize, SIZE_L_KEYWORDS } from './column-sizes.ts';
import type { CaseResult, Comparison } from './search-comparison.ts';

export interface SearchBench extends Comparison {
  readonly keywords: number;
  readonly periods: number;
  readonly loadMs: number;
  readonly residentBytes: number;
  readonly columns: readonly ColumnSize[];
  readonly peers: readonly string[];
  /** Peers that were not compared, with why. */
  readonly leftOut: Readonly<Record<string, string>>;
}

const SHOWN_COLUMNS = 24;
const GOAL_RATIO = { tenfold: 10, equal: 1, none: 0 } as const;
/** Beside a search engine, questions with so many matches have a goal of their own. */
const MANY_MATCHES = 1000;
const ENGINE_GOAL_RATIO = { many: 3, few: 1 } as const;

export function presentSearchBench(bench: SearchBench): readonly string[] {
  const hasEngine = bench.cases.some(({ engineRatio }) => engineRatio !== undefined);
  const header = [
    ...['milliseconds, minimum / median', 'matches', 'keyrank', ...bench.peers, 'against the best database', 'goal'],
    ...(hasEngine ? ['against Lucene', 'goal', 'keyrank without JSON'] : []),
  ];
  const rows = bench.cases.map((result) => [
    result.name,
    result.totalCount.toLocaleString('en'),
    timesText(result.own),
    ...bench.peers.map((peer) => peerText(result, peer)),
    ...ratioTexts(result.ratio, GOAL_RATIO[result.goal]),
    ...(hasEngine ? [...ratioTexts(result.engineRatio, engineGoal(result)), timesText(result.ownNumbers)] : []),
  ]);
  const { deepPage } = bench;
  const differences = bench.cases.flatMap(({ name, differences: found }) =>
    Object.entries(found).map(([peer, difference]) => `${name}: ${peer} gives ${difference}`),
  );
  return [
    `${bench.keywords.toLocaleString('en')} keywords, ${bench.periods} periods; loaded in ${(bench.loadMs / 1000).toFixed(1)} s, ` +
      `${megabytes(bench.residentBytes)} resident`,
    '',
    ...tabulate(header, rows),
    '',
    ...Object.entries(bench.leftOut).map(([peer, why]) => `${peer} was left out: ${why}`),
    ...(differences.length === 0 ? [] : ['* answers that differ from ours:', ...differences, '']),
    'Beside the floor, one pass over the posting list and a key column:',
    ...bench.floors.map(
      ({ name, floor, search, ratio }) =>
        `  ${name}: ${timesText(search)} over ${timesText(floor)} = ${ratio.toFixed(1)} × (goal: at most 3)`,
    ),
    `Page ${deepPage.page} over page 1: ${deepPage.byMatch.toFixed(1)} × by best_match, ${deepPage.byAverage.toFixed(1)} × by avg_rank (goal: at most 3)`,
    '',
    ...sizeLines(bench),
  ];
}

function sizeLines({ columns, keywords, residentBytes }: SearchBench): readonly string[] {
  const atSizeL = (residentBytes / keywords) * SIZE_L_KEYWORDS;
  const rows = columns
    .slice(0, SHOWN_COLUMNS)
    .map(({ column, sizeBytes, bytesPerKeyword }) => [column, megabytes(sizeBytes), bytesPerKeyword.toFixed(1)]);
  return [
    ...tabulate(['in memory', 'size', 'bytes per keyword'], rows),
    `All columns: ${(residentBytes / keywords).toFixed(0)} bytes per keyword, so ${megabytes(atSizeL)} for ` +
      `${SIZE_L_KEYWORDS.toLocaleString('en')} keywords (goal at size l: at most 6,000 MB)`,
  ];
}

function peerText(result: CaseResult, peer: string): string {
  const times = result.peers[peer];
  if (!times) return '–';
  return result.differences[peer] === undefined ? timesText(times) : `${timesText(times)} *`;
}

function engineGoal({ totalCount }: CaseResult): number {
  return totalCount >= MANY_MATCHES ? ENGINE_GOAL_RATIO.many : ENGINE_GOAL_RATIO.few;
}

function ratioTexts(ratio: number | undefined, wanted: number): readonly string[] {
  if (ratio === undefined) return ['–', ''];
  const goal = wanted === 0 ? '' : `≥ ${wanted}, ${ratio >= wanted ? 'met' : 'missed'}`;
  return [`${ratio.toFixed(1)} ×`, goal];
}

function timesText({ minMs, medianMs }: Times): string {
  return `${short(minMs)} / ${short(medianMs)}`;
}

function short(ms: number): string {
  return ms >= 99.5 ? ms.toFixed(0) : ms.toPrecision(2);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
}
