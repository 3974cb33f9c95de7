// Report files with one thing wrong with them, made at random, and the line on which it is wrong.
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describeOutcome } from '../../src/cli/import-summary.ts';
import {
  CURRENT_HEADER,
  currentReport,
  type FixtureRow,
  fixtureRow,
  fixtureRows,
  jsonReport,
  WEEK_LINE,
  WEEK_NAME,
  writeReport,
} from '../ingest/report-fixture.ts';
import { openWorkbench } from '../ingest/workbench.ts';
import type { Finding, Trial } from './promised.ts';
import { SeededRandom } from './seeded-random.ts';

interface Malformed {
  readonly kind: string;
  readonly name: string;
  readonly content: string | Buffer;
  /** Where the importer must say that it is wrong; undefined where only some line is asked for, as in what was unpacked. */
  readonly line: number | undefined;
}

const ROWS = 60;
/** The metadata line and the header. */
const ABOVE_ROWS = 2;

type Damage = (random: SeededRandom) => Malformed;

/** One row in sixty is more than the one percent that an import overlooks. */
function badRow(kind: string, change: (row: FixtureRow, random: SeededRandom) => Partial<FixtureRow>): Damage {
  return (random) => {
    const number = 1 + random.below(ROWS);
    const rows = fixtureRows(ROWS, { [number]: change(fixtureRow(number), random) });
    return { kind, name: WEEK_NAME, content: currentReport(rows), line: number + ABOVE_ROWS };
  };
}

/** One line of the file as text or bytes is replaced. */
function badLine(kind: string, change: (line: string, random: SeededRandom) => string | Buffer): Damage {
  return (random) => {
    const line = ABOVE_ROWS + 1 + random.below(ROWS);
    const lines = currentReport(fixtureRows(ROWS)).split('\n');
    const parts = lines.map((text, n) => Buffer.from(n === line - 1 ? change(text, random) : text));
    const content = Buffer.concat(parts.flatMap((part, n) => (n === 0 ? [part] : [Buffer.from('\n'), part])));
    return { kind, name: WEEK_NAME, content, line };
  };
}

function badFile(
  kind: string,
  make: (random: SeededRandom) => Omit<Malformed, 'kind' | 'name'> & { name?: string },
): Damage {
  return (random) => ({ kind, name: WEEK_NAME, ...make(random) });
}

const DAMAGES: readonly Damage[] = [
  badRow('rank', (_row, random) => ({
    rank: random.pick(['', '0', '-3', '1.5', '1E+06', 'first', '4000000000', '1,5']),
  })),
  badRow('term', (_row, random) => ({ term: random.pick(['', ' ', '\u200B', '#NAME?', '#REF!', '9.78E+12']) })),
  badRow('asin', ({ products }, random) => ({
    products: products.map((product) => ({ ...product, asin: random.pick(['B1', 'B0!0000001', 'B00000000012']) })),
  })),
  badRow('share', ({ products }, random) => ({
    products: products.map((product) => ({ ...product, click: random.pick(['100.01', '-1', 'many', '1,5']) })),
  })),
  badRow('date', (_row, random) => ({ date: random.pick(['2026-13-45', 'yesterday', '2026-02-30']) })),
  badRow('several dates', () => ({ date: '2026-07-18' })),
  badLine('too few fields', (line, random) =>
    line
      .split(',')
      .slice(0, 1 + random.below(5))
      .join(','),
  ),
  badLine('too many fields', (line, random) => line + ',"x"'.repeat(1 + random.below(9))),
  badLine('stray quote', (line) => line.replace('"term', '"te"rm')),
  badLine('not UTF-8', (line, random) => {
    const bytes = Buffer.from(line);
    bytes[line.indexOf('term') + random.below(4)] = 0x80 + random.below(0x40);
    return bytes;
  }),
  badFile('cut short', (random) => {
    const content = Buffer.from(currentReport(fixtureRows(ROWS)));
    const rows = content.indexOf('\n', content.indexOf('\n') + 1) + 1;
    let length = rows + random.below(content.length - rows - 1) + 1;
    // At the end of a line nothing is missing that anyone could see; and before it, only the line end is.
    while (content[length - 1] === 0x0a || content[length] === 0x0a) length -= 1;
    const cut = content.subarray(0, length);
    return { content: cut, line: cut.toString('latin1').split('\n').length };
  }),
  badFile('a column is missing', (random) => {
    const names = random.pick([['Search Term'], ['Search Frequency Rank'], ['Top Clicked Product #2: ASIN']]);
    const header = CURRENT_HEADER.map((name) => (names.includes(name) ? 'Something Else' : name));
    return { content: currentReport(fixtureRows(ROWS), header), line: 2 };
  }),
  badFile('a column stands twice', () => {
    const header = CURRENT_HEADER.map((name) => (name === 'Reporting Date' ? 'Search Term' : name));
    return { content: currentReport(fixtureRows(ROWS), header), line: 2 };
  }),
  badFile('no header', () => {
    const [first, , ...rows] = currentReport(fixtureRows(ROWS)).split('\n');
    return { content: [first, ...rows].join('\n'), line: 1 };
  }),
  badFile('not a report', (random) => ({
    content: Buffer.from(Array.from({ length: 2_000 }, () => 1 + random.below(0x7e))),
    line: 1,
  })),
  badFile('no rows', () => ({ content: currentReport([]), line: ABOVE_ROWS + 1 })),
  badFile('empty', () => ({ content: '', line: 1 })),
  badFile('UTF-16', () => ({ content: Buffer.from(`\uFEFF${currentReport(fixtureRows(ROWS))}`, 'utf16le'), line: 1 })),
  badFile('another week in the first line', () => {
    const content = currentReport(fixtureRows(ROWS)).replace(
      WEEK_LINE,
      'Reporting Range=["Weekly"],Select week=["Week 27 | 2026-06-28 - 2026-07-04 2026"]',
    );
    return { content, line: 1 };
  }),
  badFile('a report of another length', (random) => {
    const range = random.pick(['Daily', 'Quarterly']);
    return { content: currentReport(fixtureRows(ROWS)).replace('["Weekly"]', `["${range}"]`), line: 1 };
  }),
  badFile('dated in the future', (random) => {
    const date = random.pick(['9999-12-25', '2999-06-01', '2126-11-16']);
    const text = currentReport(fixtureRows(ROWS)).replace(WEEK_LINE, 'Reporting Range=["Weekly"]');
    return { content: text.replaceAll('2026-07-11', date), line: ABOVE_ROWS + 1 };
  }),
  badFile('dated in the first century', (random) => {
    const date = `00${random.pick(['01', '26', '99'])}-0${1 + random.below(9)}-01`;
    const text = currentReport(fixtureRows(ROWS)).replace(WEEK_LINE, 'Reporting Range=["Monthly"]');
    return { content: text.replaceAll('2026-07-11', date), line: ABOVE_ROWS + 1 };
  }),
  badFile('too many columns', (random) => {
    const header = [...CURRENT_HEADER, ...Array.from({ length: 250 + random.below(20_000) }, (_, n) => `c${n}`)];
    return { content: currentReport(fixtureRows(ROWS), header), line: 2 };
  }),
  badLine('a line too long', (line, random) => line.replace('term', 'x'.repeat(1_100_000 + random.below(1_000_000)))),
  badFile('cut gzip', (random) => {
    const packed = gzipSync(currentReport(fixtureRows(ROWS)));
    return { content: packed.subarray(0, 20 + random.below(packed.length - 30)), line: undefined };
  }),
  badFile('cut JSON', (random) => {
    const text = prettyJson();
    const cut = text.slice(0, 1 + random.below(text.length - 2));
    return {
      name: 'report.json',
      content: cut,
      line: cut.trimEnd() === text.trimEnd() ? undefined : cut.split('\n').length,
    };
  }),
  badFile('broken JSON', (random) => {
    const lines = prettyJson().split('\n');
    const colons = lines.flatMap((line, n) => (/^ +"(search|clicked)\w+": /.test(line) ? [n] : []));
    const at = random.pick(colons);
    return {
      name: 'report.json',
      content: lines.with(at, (lines[at] ?? '').replace('":', '"')).join('\n'),
      line: at + 1,
    };
  }),
];

function prettyJson(): string {
  return JSON.stringify(JSON.parse(jsonReport({ rows: fixtureRows(ROWS) })), null, 1);
}

export async function tryMalformedReports({ seed, quick, report }: Trial): Promise<Finding> {
  const count = quick ? 2 * DAMAGES.length : 300;
  const random = new SeededRandom(seed);
  await using bench = await openWorkbench();
  const faults: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const damage = DAMAGES[n % DAMAGES.length];
    if (!damage) continue;
    const { kind, name, content, line } = damage(random);
    const path = await writeReport(bench.reports, name, content);
    const outcome = await bench.importOne(path);
    const text = describeOutcome(outcome).join('\n');
    const said = Number(/\bline ([0-9,]+)/.exec(text)?.[1]?.replaceAll(',', ''));
    const isNamed = text.startsWith(`${basename(path)}: not imported`);
    const isPlaced = line === undefined ? said >= 1 : said === line;
    if (outcome.status !== 'failed' || !isNamed || !isPlaced) {
      faults.push(`${kind} (file ${n + 1}): line ${line} expected; ${text.replaceAll('\n', ' / ')}`);
      report(faults.at(-1) ?? '');
    }
    if ((n + 1) % 50 === 0) report(`${n + 1} of ${count} files`);
  }
  const { version } = await bench.manifest();
  return {
    kept: faults.length === 0 && version === 0,
    figure:
      `${count - faults.length} of ${count} refused with file and line, ${DAMAGES.length} kinds, ${version} published ${faults[0] ?? ''}`.trim(),
  };
}
