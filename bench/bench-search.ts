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
import { DEBIAN_JARS, openLucenePeers, whyNoLucene } from './peers/lucene-peer.ts';
import type { Peer } from './peers/peer.ts';
import { openPostgresPeer, whyNoPostgres } from './peers/postgres-peer.ts';
import { openSqlitePeer } from './peers/sqlite-peer.ts';
import { listColumnSizes } from './search/column-sizes.ts';
import { presentSearchBench, type SearchBench } from './search/search-bench-report.ts';
import { compareSearches } from './search/search-comparison.ts';

const PEERS = ['postgres', 'duckdb', 'sqlite', 'lucene'] as const;
type PeerName = (typeof PEERS)[number];

interface Flags extends SnapshotChoice {
  readonly runs: number;
  readonly peers: readonly PeerName[];
  readonly sqlite?: string;
  readonly lucene: string;
  readonly scratch?: string;
  readonly json?: boolean;
}

export function registerBenchSearch(bench: Command): void {
  bench
    .command('search')
    .description('compare searches with PostgreSQL, DuckDB, SQLite FTS5 and Lucene over the published monthly data')
    .option('--rows <count>', 'make data of its own with so many terms per month instead', parseCount)
    .option('--periods <count>', 'months of that data', parseCount, 24)
    .option('--snapshot <dir>', 'search the snapshot in this directory instead')
    .option('--runs <count>', 'rounds per question, every engine once in each', parseCount, 7)
    .option('--peers <names>', `engines to compare with, of ${PEERS.join(', ')}, or none`, parsePeers, PEERS)
    .option('--sqlite <dir>', 'folder in which "npm install better-sqlite3@12" was run; without it SQLite is left out')
    .option('--lucene <dir>', "folder of Lucene 8's jars, as Debian's liblucene8-java has them", DEBIAN_JARS)
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
    const { peers, leftOut } = await openPeers({ view, scratch, flags, opened });
    const onCase = (name: string): void => note(`measuring: ${name}`);
    const comparison = await compareSearches(view, { peers, rounds: flags.runs, onCase });
    return {
      keywords: view.documentCount,
      periods: view.periods.length,
      loadMs,
      residentBytes: residentBytes(loaded),
      columns: listColumnSizes(loaded),
      peers: peers.map(({ name }) => name),
      leftOut,
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
}): Promise<{ readonly peers: readonly Peer[]; readonly leftOut: Readonly<Record<string, string>> }> {
  const keywordFile = join(scratch, 'keywords.tsv');
  const directory = (name: PeerName): string => join(scratch, name);
  const openers: Readonly<Record<PeerName, PeerOpener>> = {
    postgres: {
      whyNot: whyNoPostgres,
      open: async () => [await openPostgresPeer({ view, keywordFile, directory: directory('postgres') })],
    },
    duckdb: { whyNot: () => undefined, open: async () => [await openDuckdbPeer({ view, keywordFile })] },
    sqlite: {
      whyNot: () => (flags.sqlite === undefined ? 'give --sqlite with a folder that has better-sqlite3' : undefined),
      open: async () => [
        await openSqlitePeer({ view, keywordFile, directory: scratch, packageDirectory: flags.sqlite ?? '' }),
      ],
    },
    lucene: {
      whyNot: () => whyNoLucene(flags.lucene),
      open: () => openLucenePeers({ view, keywordFile, directory: directory('lucene'), jarDirectory: flags.lucene }),
    },
  };
  const missing = flags.peers.map((name) => [name, openers[name].whyNot()] as const);
  const leftOut = Object.fromEntries(missing.flatMap(([name, why]) => (why === undefined ? [] : [[name, why]])));
  for (const [name, why] of Object.entries(leftOut)) note(`${name} is left out: ${why}`);
  const names = flags.peers.filter((name) => leftOut[name] === undefined);
  const peers: Peer[] = [];
  if (names.length === 0) return { peers, leftOut };
  note(`writing ${view.documentCount} keywords for the peers`);
  await writeKeywordFile(view, keywordFile);
  for (const name of names) {
    const startMs = performance.now();
    for (const peer of await openers[name].open()) peers.push(opened.use(peer));
    note(`${name} is loaded after ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  }
  await rm(keywordFile);
  return { peers, leftOut };
}

interface PeerOpener {
  /** Undefined where everything that the peer needs is installed. */
  readonly whyNot: () => string | undefined;
  readonly open: () => Promise<readonly Peer[]>;
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
