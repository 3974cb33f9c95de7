// How fast searches are beside other engines: the same machine, data and questions, in one run, so that ratios mean the same
// everywhere. The engine is called as a library in this thread, as SQLite and DuckDB are.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { print } from '../src/cli/output.ts';
import { ResourceStack } from '../src/resource-stack.ts';
import { loadSnapshot, residentBytes } from '../src/snapshot/format/load.ts';
import { type SnapshotView, viewSnapshot } from '../src/snapshot/format/snapshot-view.ts';
import { chooseSnapshot, type SnapshotChoice } from './data/bench-snapshot.ts';
import { writeKeywordFile } from './export/keyword-file.ts';
import { openDuckdbPeer } from './peers/duckdb-peer.ts';
import type { Peer } from './peers/peer.ts';
import { openPostgresPeer } from './peers/postgres-peer.ts';
import { openSqlitePeer } from './peers/sqlite-peer.ts';
import { listColumnSizes } from './search/column-sizes.ts';
import { presentSearchBench, type SearchBench } from './search/search-bench-report.ts';
import { compareSearches } from './search/search-comparison.ts';

const PEERS = ['postgres', 'duckdb', 'sqlite'] as const;
type PeerName = (typeof PEERS)[number];

interface Flags extends SnapshotChoice {
  readonly runs: number;
  readonly peers: readonly PeerName[];
  readonly sqlite?: string;
  readonly scratch?: string;
  readonly json?: boolean;
}

export function registerBenchSearch(bench: Command): void {
  bench
    .command('search')
    .description('compare searches with PostgreSQL, DuckDB and SQLite FTS5 over the published monthly data')
    .option('--rows <count>', 'make data of its own with so many terms per month instead', parseCount)
    .option('--periods <count>', 'months of that data', parseCount, 24)
    .option('--snapshot <dir>', 'search the snapshot in this directory instead')
    .option('--runs <count>', 'rounds per question, every engine once in each', parseCount, 7)
    .option('--peers <names>', `engines to compare with, of ${PEERS.join(', ')}, or none`, parsePeers, PEERS)
    .option('--sqlite <dir>', 'folder in which "npm install better-sqlite3@12" was run; without it SQLite is left out')
    .option('--scratch <dir>', 'where the peers keep their copies, up to 2 KB per keyword; removed afterwards')
    .option('--json', 'print JSON')
    .action(async (flags: Flags) => {
      const result = await runBench(flags);
      print(result, { json: flags.json, lines: presentSearchBench(result) });
    });
}

async function runBench(flags: Flags): Promise<SearchBench> {
  const parent = flags.scratch ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const scratch = await mkdtemp(join(parent, 'keyrank-bench-'));
  try {
    const directory = await chooseSnapshot(flags, scratch);
    const startMs = performance.now();
    const loaded = await loadSnapshot({ directory });
    const loadMs = performance.now() - startMs;
    const view = viewSnapshot(loaded.manifest, loaded.buffers);
    await using opened = new ResourceStack();
    const peers = await openPeers({ view, scratch, flags, opened });
    const onCase = (name: string): void => note(`measuring: ${name}`);
    const comparison = await compareSearches(view, { peers, rounds: flags.runs, onCase });
    return {
      keywords: view.documentCount,
      periods: view.periods.length,
      loadMs,
      residentBytes: residentBytes(loaded),
      columns: listColumnSizes(loaded),
      peers: peers.map(({ name }) => name),
      ...comparison,
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function openPeers({
  view,
  scratch,
  flags,
  opened,
}: {
  readonly view: SnapshotView;
  readonly scratch: string;
  readonly flags: Flags;
  readonly opened: ResourceStack;
}): Promise<readonly Peer[]> {
  const names = flags.peers.filter((name) => name !== 'sqlite' || flags.sqlite !== undefined);
  if (names.length === 0) return [];
  const keywordFile = join(scratch, 'keywords.tsv');
  note(`writing ${view.documentCount} keywords for the peers`);
  await writeKeywordFile(view, keywordFile);
  const openers: Readonly<Record<PeerName, () => Promise<Peer>>> = {
    postgres: () => openPostgresPeer({ view, keywordFile, directory: join(scratch, 'postgres') }),
    duckdb: () => openDuckdbPeer({ view, keywordFile }),
    sqlite: () => openSqlitePeer({ view, keywordFile, directory: scratch, packageDirectory: flags.sqlite ?? '' }),
  };
  const peers: Peer[] = [];
  for (const name of names) {
    const startMs = performance.now();
    peers.push(opened.use(await openers[name]()));
    note(`${name} is loaded after ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  }
  await rm(keywordFile);
  return peers;
}

/** Progress is not part of the answer. */
function note(text: string): void {
  console.error(text);
}

function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('Use a whole number from 1.');
  return Number(text);
}

function parsePeers(text: string): readonly PeerName[] {
  if (text === 'none') return [];
  const names = text.split(',');
  const unknown = names.filter((name) => !PEERS.some((peer) => peer === name));
  if (unknown.length > 0) throw new InvalidArgumentError(`Use ${PEERS.join(', ')}, separated by commas, or none.`);
  return PEERS.filter((peer) => names.includes(peer));
}
