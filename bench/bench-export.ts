// How fast exports are written and how little they hold, as ratios within one run: against exceljs's streaming writer, with
// slow readers, and beside searches.
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { print, tabulate } from '../src/cli/output.ts';
import { loadSnapshot } from '../src/snapshot/format/load.ts';
import { viewSnapshot } from '../src/snapshot/format/snapshot-view.ts';
import { parseCount } from './bench-import.ts';
import { chooseSnapshot } from './data/bench-snapshot.ts';
import { CONTENDERS, type Contender, type ContenderResult, runContender } from './export/export-contender.ts';
import { pickWords } from './search/picked-words.ts';
import { measureSearchDelay, type SearchDelay } from './search/search-delay.ts';

interface Flags {
  readonly rows: number;
  readonly periods: number;
  readonly readers: number;
  readonly searches: number;
  readonly exceljs?: string;
  readonly snapshot?: string;
  readonly contender?: Contender;
  readonly json?: boolean;
}

interface ExportBench {
  readonly rows: number;
  readonly periods: number;
  readonly contenders: Readonly<Partial<Record<Contender, ContenderResult>>>;
  readonly searchDelay: SearchDelay;
}

/** Terms per month of the snapshot that searches run on when none is named. */
const SNAPSHOT_TERMS = 100_000;
const SNAPSHOT_MONTHS = 6;

export function registerBenchExport(bench: Command): void {
  bench
    .command('export')
    .description('measure the writing of workbooks, its memory with slow readers, and what it costs searches')
    .option('--rows <count>', 'rows of the export', parseCount, 100_000)
    .option('--periods <count>', 'period columns', parseCount, 24)
    .option('--readers <count>', 'slow readers at once', parseCount, 20)
    .option('--searches <count>', 'searches, with and without exports beside them', parseCount, 500)
    .option('--exceljs <dir>', 'folder in which "npm install exceljs@4.4.0" was run; without it exceljs is left out')
    .option('--snapshot <dir>', 'search the snapshot in this directory instead of one made for it')
    .addOption(new Option('--contender <name>').choices(CONTENDERS).hideHelp())
    .option('--json', 'print JSON')
    .action(async (flags: Flags) => {
      if (flags.contender) {
        process.send?.(await runContender(flags.contender, flags));
        return;
      }
      const result = await runBench(flags);
      print(result, { json: flags.json, lines: linesOf(result, flags) });
    });
}

async function runBench(flags: Flags): Promise<ExportBench> {
  const contenders: Partial<Record<Contender, ContenderResult>> = {};
  for (const contender of CONTENDERS) {
    if (contender !== 'exceljs' || flags.exceljs !== undefined) contenders[contender] = await runApart(contender);
  }
  const scratch = await mkdtemp(join(tmpdir(), 'keyrank-bench-'));
  try {
    const choice = { snapshot: flags.snapshot, rows: SNAPSHOT_TERMS, periods: SNAPSHOT_MONTHS };
    const directory = await chooseSnapshot(choice, scratch);
    const { manifest, buffers } = await loadSnapshot({ directory });
    const { word } = pickWords(viewSnapshot(manifest, buffers)).medium;
    const searchDelay = await measureSearchDelay({ directory, word, searches: flags.searches });
    return { rows: flags.rows, periods: flags.periods, contenders, searchDelay };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function runApart(contender: Contender): Promise<ContenderResult> {
  const [program = '', ...args] = process.argv.slice(1);
  const child = fork(program, [...args, '--contender', contender], { execArgv: ['--expose-gc'] });
  return new Promise((resolve, reject) => {
    child.on('message', (result) => resolve(result as ContenderResult));
    child.on('exit', (code) => reject(new Error(`${contender} ended with code ${code} and without a result`)));
  });
}

function linesOf({ rows, periods, contenders, searchDelay }: ExportBench, { readers }: Flags): readonly string[] {
  const titles: Readonly<Record<Contender, string>> = {
    own: 'keyrank',
    slow: 'keyrank, one slow reader',
    many: `keyrank, ${readers} slow readers`,
    exceljs: 'exceljs, streaming',
  };
  const measured = CONTENDERS.flatMap((name) => {
    const result = contenders[name];
    if (!result) return [];
    const rate = Math.round(result.rowsPerSecond).toLocaleString('en-US');
    const growth = `+${Math.round(result.growthBytes / 1e6)} MB`;
    return [
      [titles[name], rate, `${result.cpuSeconds.toFixed(1)} s`, growth, `${(result.sizeBytes / 1e6).toFixed(1)} MB`],
    ];
  });
  const { own, exceljs } = contenders;
  const { quietP99Ms, busyP99Ms, searches, exportedRows } = searchDelay;
  return [
    `${rows.toLocaleString('en-US')} rows × ${periods} periods with colours, Node ${process.version}`,
    ...tabulate(['writer', 'rows/s', 'processor', 'resident', 'file'], measured),
    ...(own && exceljs ? [`${(own.rowsPerSecond / exceljs.rowsPerSecond).toFixed(1)} × as fast as exceljs`] : []),
    `${searches} searches: p99 ${quietP99Ms.toFixed(2)} ms alone, ${busyP99Ms.toFixed(2)} ms beside two exports ` +
      `(${exportedRows.toLocaleString('en-US')} rows): ${(busyP99Ms / quietP99Ms).toFixed(2)} ×`,
  ];
}
