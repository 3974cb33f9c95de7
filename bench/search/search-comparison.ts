// One run of the comparison: every case on our engine and on every peer, answers held against each other first.

import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import { presentPage } from '../../src/snapshot/query/present-page.ts';
import { search } from '../../src/snapshot/query/search.ts';
import { compareTimes, type Times } from '../peers/compared-times.ts';
import type { Peer, PeerAnswer } from '../peers/peer.ts';
import { scanFloor } from './scan-floor.ts';
import { type Cases, type Goal, listCases, type SearchCase } from './search-cases.ts';

export interface CaseResult {
  readonly name: string;
  readonly goal: Goal;
  readonly totalCount: number;
  readonly own: Times;
  /** The search alone, without the JSON of its page: all that a search engine is asked for. */
  readonly ownNumbers: Times;
  readonly peers: Readonly<Record<string, Times>>;
  /** Peers that answered something else, with what. A time for another answer is worth nothing. */
  readonly differences: Readonly<Record<string, string>>;
  /** How many times faster than the fastest database, by the minimum; undefined when none can answer. */
  readonly ratio: number | undefined;
  /** The same for search engines. */
  readonly engineRatio: number | undefined;
}

export interface Comparison {
  readonly cases: readonly CaseResult[];
  readonly floors: readonly {
    readonly name: string;
    readonly floor: Times;
    readonly search: Times;
    readonly ratio: number;
  }[];
  readonly deepPage: { readonly page: number; readonly byMatch: number; readonly byAverage: number };
}

const NO_TIMES: Times = { minMs: 0, medianMs: 0 };
const NEVER_CANCELLED = { throwIfCancelled: (): void => {} };
/** Our searches and those of search engines are short, so that more of them are needed for a steady minimum. */
const SHORT_RUNS_PER_ROUND = 5;
/** A server answers all kinds of questions in turn. Asked one kind at a time, its code would be compiled for that kind alone. */
const WARM_UP_ROUNDS = 150;

export async function compareSearches(
  view: SnapshotView,
  {
    peers,
    rounds,
    onCase,
  }: { readonly peers: readonly Peer[]; readonly rounds: number; readonly onCase: (name: string) => void },
): Promise<Comparison> {
  const { cases, words, deepPage } = listCases(view);
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    for (const { plan } of cases) presentPage(view, search(view, plan, NEVER_CANCELLED));
  }
  for (const peer of peers) if (peer.kind === 'search engine') await warmUp(peer, cases);
  const results: CaseResult[] = [];
  for (const searchCase of cases) {
    onCase(searchCase.name);
    results.push(await compareCase(view, { searchCase, peers, rounds }));
  }
  const timesOfCase = (name: string): Times => results.find((result) => result.name === name)?.own ?? NO_TIMES;
  const ratioOf = (deep: string, first: string): number => timesOfCase(deep).minMs / timesOfCase(first).minMs;
  return {
    cases: results,
    floors: await measureFloors(view, { words, cases, rounds }),
    deepPage: {
      page: deepPage,
      byMatch: ratioOf(`very common word, page ${deepPage}`, 'very common word'),
      byAverage: ratioOf(`by avg_rank, page ${deepPage}`, 'very common word, by avg_rank'),
    },
  };
}

/** In the same turns as ours: a JVM compiles while it runs, too. */
async function warmUp(peer: Peer, cases: readonly SearchCase[]): Promise<void> {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    for (const { peerQuery } of cases) await peer.answer(peerQuery);
  }
}

async function compareCase(
  view: SnapshotView,
  {
    searchCase,
    peers,
    rounds,
  }: { readonly searchCase: SearchCase; readonly peers: readonly Peer[]; readonly rounds: number },
): Promise<CaseResult> {
  const { name, goal, plan, peerQuery } = searchCase;
  const runOwn = (): unknown => presentPage(view, search(view, plan, NEVER_CANCELLED));
  const own = search(view, plan, NEVER_CANCELLED);
  for (let i = 0; i < SHORT_RUNS_PER_ROUND; i += 1) runOwn();
  const able: Peer[] = [];
  const differences: Record<string, string> = {};
  for (const peer of peers) {
    const answer = await peer.answer(peerQuery);
    if (!answer) continue;
    able.push(peer);
    const difference = differenceOf(own, answer);
    if (difference !== undefined) differences[peer.name] = difference;
  }
  const turns = [
    ...able.map((peer) => ({ run: () => peer.answer(peerQuery), isShort: peer.kind === 'search engine' })),
    { run: () => search(view, plan, NEVER_CANCELLED), isShort: true },
    { run: runOwn, isShort: true },
  ];
  const times = await compareTurns(turns, rounds);
  const peerTimes = Object.fromEntries(able.map((peer, i) => [peer.name, times[i] ?? NO_TIMES]));
  const ownTimes = times.at(-1) ?? NO_TIMES;
  const ratioTo = (kind: Peer['kind']): number | undefined => {
    const compared = able.filter((peer) => peer.kind === kind).map((peer) => peerTimes[peer.name]?.minMs ?? 0);
    return compared.length === 0 ? undefined : Math.min(...compared) / ownTimes.minMs;
  };
  return {
    ...{ name, goal, totalCount: own.totalCount, own: ownTimes, ownNumbers: times.at(-2) ?? NO_TIMES },
    ...{ peers: peerTimes, differences },
    ...{ ratio: ratioTo('database'), engineRatio: ratioTo('search engine') },
  };
}

interface Turn {
  readonly run: () => unknown;
  readonly isShort: boolean;
}

/** The times of each, of which the short ones run several times in every round. */
async function compareTurns(turns: readonly Turn[], rounds: number): Promise<readonly Times[]> {
  const runsOf = ({ isShort }: Turn): number => (isShort ? SHORT_RUNS_PER_ROUND : 1);
  const contenders = turns.flatMap((turn) => Array.from({ length: runsOf(turn) }, () => turn.run));
  const times = [...(await compareTimes(contenders, rounds))];
  return turns.map((turn) => bestOf(times.splice(0, runsOf(turn))));
}

function bestOf(turns: readonly Times[]): Times {
  const medians = turns.map(({ medianMs }) => medianMs).sort((a, b) => a - b);
  return { minMs: Math.min(...turns.map(({ minMs }) => minMs)), medianMs: medians[medians.length >> 1] ?? 0 };
}

function differenceOf(own: PeerAnswer, answer: PeerAnswer): string | undefined {
  if (own.totalCount !== answer.totalCount) return `${answer.totalCount} matches instead of ${own.totalCount}`;
  const at = own.documents.findIndex((document, i) => answer.documents[i] !== document);
  if (at >= 0) return `another keyword at place ${at + 1}`;
  return answer.documents.length === own.documents.length
    ? undefined
    : `${answer.documents.length} keywords on the page`;
}

/** The floor beside the search of the same word, in turns. */
async function measureFloors(
  view: SnapshotView,
  {
    words,
    cases,
    rounds,
  }: { readonly words: Cases['words']; readonly cases: readonly SearchCase[]; readonly rounds: number },
): Promise<Comparison['floors']> {
  const pairs = [
    ['common word', words.common],
    ['common word, by avg_rank', words.common],
    ['very common word', words.veryCommon],
    ['very common word, by avg_rank', words.veryCommon],
  ] as const;
  const floors: Comparison['floors'][number][] = [];
  for (const [name, { stemSlot }] of pairs) {
    const plan = cases.find((each) => each.name === name)?.plan;
    if (!plan) continue;
    const runs = [() => scanFloor(view, stemSlot), () => presentPage(view, search(view, plan, NEVER_CANCELLED))];
    const [floor, own] = await compareTimes(runs, rounds * 10);
    if (floor && own) floors.push({ name, floor, search: own, ratio: own.minMs / floor.minMs });
  }
  return floors;
}
