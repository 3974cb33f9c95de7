// Report files that are made to harm: each is refused in plain words, within the memory and the disk that an import may take.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { CURRENT_HEADER, currentReport, fixtureRows, jsonReport, quoted, WEEK_NAME } from '../ingest/report-fixture.ts';
import { openWorkbench, type Workbench } from '../ingest/workbench.ts';
import type { Finding, Trial } from './promised.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** What an import is told that it may take, and what the process takes beside that: Node.js, DuckDB's own, buffers. */
const MEMORY_MB = 300;
const PROCESS_MB = 500;
/** Of what an import writes, beside one copy of the file: a hundred times the size of the packed files below. */
const DISK_MB = 200;
const POLL_MS = 20;

interface Hostile {
  readonly kind: string;
  readonly name?: string;
  /** What it is refused with. */
  readonly says: RegExp;
  /** Undefined where the file is none. */
  readonly content?: string | Buffer;
}

/** Sizes are in megabytes, or in thousands of rows. */
function makeHostile(size: number): readonly Hostile[] {
  const rows = fixtureRows(60);
  const report = currentReport(rows);
  const [metadata = '', header = '', ...lines] = report.trimEnd().split('\n');
  const megabytes = (text: string) => Buffer.alloc(size * 1e6, text);
  const member = gzipSync(Buffer.alloc(16_000_000, 'x\n'), { level: 9 });
  const many = (line: (n: number) => string) =>
    `${metadata}\n${header}\n${Array.from({ length: size * 10_000 }, (_, n) => `${line(n)}\n`).join('')}`;
  const beside = (text: string) => jsonReport({ rows }).replace('{', `{${text},`);
  return [
    {
      kind: '20,000 columns',
      says: /line 2: .*250 columns/,
      content: `${metadata}\n${quoted([...CURRENT_HEADER, ...Array.from({ length: 20_000 }, (_, n) => `c${n}`)])}\n`,
    },
    {
      kind: 'a row of many columns',
      says: /line 3: .*250 columns/,
      content: `${metadata}\n${header}\n${'"x",'.repeat(200_000)}"x"\n`.repeat(2),
    },
    {
      kind: 'many rows of surplus columns',
      says: /cannot be (split|read)/,
      content: many(() => `1${',x'.repeat(60)}`),
    },
    {
      kind: 'gzip that unpacks to 1,000 times its size',
      name: 'US_Week_2026_07_11.csv.gz',
      says: /100 times its size/,
      content: Buffer.concat([gzipSync(`${metadata}\n${header}\n`), ...Array.from({ length: 100 }, () => member)]),
    },
    {
      kind: 'JSON in such gzip',
      name: 'report.json.gz',
      says: /100 times its size/,
      content: Buffer.concat([
        gzipSync(jsonReport({ rows }).slice(0, -1)),
        ...Array.from({ length: 100 }, () => gzipSync(Buffer.alloc(16_000_000, ' '), { level: 9 })),
      ]),
    },
    {
      kind: 'gzip of many members',
      name: 'US_Week_2026_07_11.csv.gz',
      says: /no header row/,
      content: Buffer.concat(Array.from({ length: size * 10_000 }, () => gzipSync(''))),
    },
    {
      kind: 'gzip with garbage behind it',
      name: 'US_Week_2026_07_11.csv.gz',
      says: /gzip file is damaged/,
      content: Buffer.concat([gzipSync(report), megabytes('garbage')]),
    },
    {
      kind: 'gzip in gzip',
      name: 'US_Week_2026_07_11.csv.gz',
      says: /line 1: .*(no header row|bytes)/,
      content: gzipSync(gzipSync(megabytes('x'))),
    },
    {
      kind: 'one endless line',
      says: /line 3: .*1,048,576 bytes/,
      content: Buffer.concat([Buffer.from(`${metadata}\n${header}\n`), megabytes('x')]),
    },
    {
      kind: 'NUL bytes without end',
      says: /line 3: .*1,048,576 bytes/,
      content: Buffer.concat([Buffer.from(`${metadata}\n${header}\n`), megabytes('\0')]),
    },
    {
      kind: 'quotes that are never closed',
      says: /line 3: .*cannot be (read|split)/,
      content: many((n) => (n % 20 === 0 ? `"${n}","never closed` : (lines[n % 60] ?? ''))),
    },
    {
      kind: 'rows that are all rejected',
      says: /line 3: 100 % of the rows cannot be read/,
      content: many(() => (lines[0] ?? '').replace('"1"', '"first"')),
    },
    { kind: 'rows that cannot be split', says: /line 3: .*cannot be (read|split)/, content: many((n) => `"${n}"`) },
    {
      kind: 'rows that are not UTF-8',
      says: /line 3: .*cannot be (read|split)/,
      content: Buffer.from(
        many(() => (lines[0] ?? '').replace('term', 't\u00FFrm')),
        'latin1',
      ),
    },
    {
      kind: 'terms without end',
      says: /line 3: .*cannot be read/,
      content: `${metadata}\n${header}\n${Array.from({ length: size * 4 }, (_, n) => `${(lines[0] ?? '').replace('term 1', `${n}é`.repeat(40_000))}\n`).join('')}`,
    },
    {
      kind: 'JSON with a giant string',
      name: 'report.json',
      says: /line 1: .*too (large|much)/,
      content: beside(`"a":"${megabytes('x')}"`),
    },
    {
      kind: 'JSON with a giant number',
      name: 'report.json',
      says: /line 1: .*too (large|much)/,
      content: beside(`"a":${megabytes('1')}`),
    },
    {
      kind: 'JSON with a giant key',
      name: 'report.json',
      says: /line 1: .*too (large|much)/,
      content: beside(`"${megabytes('x')}":1`),
    },
    {
      kind: 'JSON with many keys',
      name: 'report.json',
      says: /line 1: .*too much beside/,
      content: beside(Array.from({ length: size * 50_000 }, (_, n) => `"k${n}":1`).join(',')),
    },
    {
      kind: 'JSON that is nested deeply',
      name: 'report.json',
      says: /line 1: .*nested too deeply/,
      content: beside(`"a":${'['.repeat(1e6)}${']'.repeat(1e6)}`),
    },
    {
      kind: 'a term of JSON that is nested deeply',
      name: 'report.json',
      says: /nested too deeply/,
      content: jsonReport({ rows }).replace('"term 1"', `${'['.repeat(1e5)}${']'.repeat(1e5)}`),
    },
    { kind: 'a pipe', says: /not a file/ },
    {
      kind: 'a name that commands the terminal',
      name: 'US_\u001b[2J\u0007\nUS_done.csv',
      says: /no header row/,
      content: 'x\u001b[2J,y\n',
    },
  ];
}

export async function tryHostileReports({ quick, report }: Trial): Promise<Finding> {
  await using bench = await openWorkbench();
  const files = makeHostile(quick ? 6 : 100);
  const faults: string[] = [];
  let peakMb = 0;
  let diskMb = 0;
  // All of them in one command take less time; each in its own shows which one takes how much.
  for (const group of quick ? [files] : files.map((file) => [file])) {
    const found = await importHostile(bench, group);
    peakMb = Math.max(peakMb, found.peakMb);
    diskMb = Math.max(diskMb, found.diskMb);
    const kinds = group.map(({ kind }) => kind).join(', ');
    report(`${kinds}: ${found.peakMb.toFixed(0)} MB of memory, ${found.diskMb.toFixed(0)} MB of disk`);
    faults.push(...findFaults(group, found));
  }
  for (const fault of faults) report(fault);
  const { version } = await bench.manifest();
  const measured = `${peakMb.toFixed(0)} MB of memory and ${diskMb.toFixed(0)} MB of disk at most`;
  return {
    kept: faults.length === 0 && version === 0,
    figure:
      `${files.length - faults.length} of ${files.length} kinds refused in plain words, ${measured} ${faults[0] ?? ''}`.trim(),
  };
}

type Measured = Awaited<ReturnType<typeof importHostile>>;

function findFaults(group: readonly Hostile[], found: Measured): readonly string[] {
  const { output, ...measured } = found;
  const copyMb = Math.max(...group.map(({ content }) => Buffer.byteLength(content ?? '') / 1e6));
  const isBounded = found.peakMb <= MEMORY_MB + PROCESS_MB && found.diskMb <= DISK_MB + copyMb && found.leftMb < 1;
  const isPlain = found.code === 1 && !/[^\P{Cc}\n]/u.test(output);
  if (!isBounded || !isPlain) return [`${group[0]?.kind}: ${JSON.stringify(measured)}`];
  const said = output.split(/^\S.*: not imported$/m).slice(1);
  return group.flatMap(({ kind, says }, n) =>
    says.test(said[n] ?? '') ? [] : [`${kind}: ${(said[n] ?? output).slice(0, 400).replaceAll('\n', ' / ')}`],
  );
}

/** Runs the import as a process of its own, and looks at what it takes all the time. */
async function importHostile(bench: Workbench, group: readonly Hostile[]) {
  const files: string[] = [];
  for (const [n, { name = WEEK_NAME, content }] of group.entries()) {
    const directory = join(bench.reports, String(n));
    await mkdir(directory, { recursive: true });
    const path = join(directory, name);
    await rm(path, { force: true });
    if (content === undefined) spawnSync('mkfifo', [path]);
    else await writeFile(path, content);
    files.push(path);
  }
  const env = { PATH: process.env.PATH, DATABASE_URL: bench.database.url.href, KEYRANK_DATA_DIR: bench.dataDirectory };
  const args = [PROGRAM, 'import', '--urgent', '--memory', String(MEMORY_MB), ...files];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.resume();
  const ended = once(child, 'close');
  let [peakMb, diskMb] = [0, 0];
  while (child.exitCode === null && child.signalCode === null) {
    peakMb = Math.max(peakMb, await peakOf(child.pid ?? 0));
    diskMb = Math.max(diskMb, await diskOf(bench.dataDirectory));
    await sleep(POLL_MS);
  }
  const [code] = await ended;
  const leftMb = await diskOf(join(bench.dataDirectory, 'tmp'));
  return { code, output, peakMb, diskMb, leftMb };
}

/** The most memory that a process ever had. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1000;
}

async function diskOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    bytes += (found?.blocks ?? 0) * 512;
  }
  return bytes / 1e6;
}
