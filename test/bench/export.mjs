// Measures the workbook writer: rows per second, processor time, bytes, growth of resident memory, and how long the event
// loop is held (which on a busy machine is mostly the other programs).
// Each measurement runs in a process of its own so that none inherits another's heap. Build first.
//
//   node test/bench/export.mjs [--rows 100000] [--periods 24] [--readers 20] [--exceljs DIR]
//
// `--exceljs DIR` also measures exceljs's streaming writer on the same cells; DIR is a folder in which it is installed.
// It is not a dependency of this project: it is unmaintained and would be installed only to be slower.
import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { periodCells, shareFraction } from '../../dist/xlsx/cells.js';
import { exportColumns } from '../../dist/xlsx/columns.js';
import { PALETTE } from '../../dist/xlsx/styles.js';
import { openWorkbook } from '../../dist/xlsx/workbook.js';

const BATCH_ROWS = 100;
const MADE_ROWS = 2000;
const SLOW_BYTES_PER_SECOND = 4_000_000;
const WORDS = [
  'running',
  'shoes',
  'women',
  'trail',
  'wide',
  'kids',
  'café',
  'waterproof',
  'light',
  'gel',
  'black',
  'size',
];

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    periods: { type: 'string', default: '24' },
    readers: { type: 'string', default: '20' },
    exceljs: { type: 'string' },
    contender: { type: 'string' },
  },
});
const rowCount = Number(options.rows);
const periodCount = Number(options.periods);
const CONTENDERS = { own: measureOwn, slow: measureSlowReader, many: measureManyReaders, exceljs: measureExceljs };

if (options.contender === undefined) await compare();
else process.send(await CONTENDERS[options.contender]());

async function compare() {
  console.log(`${rowCount} rows x ${periodCount} periods, Node ${process.version}`);
  const own = await run('own');
  print('own writer, fast reader', own);
  print(`own writer, reader at ${SLOW_BYTES_PER_SECOND / 1e6} MB/s`, await run('slow'));
  print(`own writer, ${options.readers} slow readers at once`, await run('many'));
  if (options.exceljs === undefined) return;
  const other = await run('exceljs');
  print('exceljs streaming writer', other);
  console.log(`${(other.cpuSeconds / own.cpuSeconds).toFixed(1)} times less processor time;`);
  console.log(`own writer is ${(own.rowsPerSecond / other.rowsPerSecond).toFixed(1)} times as fast`);
}

function print(title, result) {
  console.log(
    [
      title.padEnd(36),
      `${Math.round(result.rowsPerSecond).toLocaleString('en')} rows/s`.padStart(16),
      `${result.cpuSeconds.toFixed(1)} s CPU`.padStart(12),
      `${(result.bytes / 1e6).toFixed(1)} MB`.padStart(10),
      `RSS +${result.growthMb.toFixed(0)} MB`.padStart(13),
      `loop p99 ${result.loopP99Ms.toFixed(1)} ms`.padStart(18),
    ].join(''),
  );
}

function run(contender) {
  const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--contender', contender], {
    execArgv: ['--expose-gc'],
  });
  return new Promise((resolve, reject) => {
    child.on('message', resolve);
    child.on('exit', (code) => code !== 0 && reject(new Error(`${contender} ended with code ${code}.`)));
  });
}

async function measure(work, rows) {
  globalThis.gc();
  const startBytes = process.memoryUsage.rss();
  let peakBytes = startBytes;
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, 20);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  const bytes = await work();
  const seconds = (performance.now() - startMs) / 1000;
  const cpu = process.cpuUsage(startCpu);
  clearInterval(timer);
  delay.disable();
  return {
    rowsPerSecond: rows / seconds,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    bytes,
    growthMb: (peakBytes - startBytes) / 1e6,
    loopP99Ms: delay.percentile(99) / 1e6,
  };
}

function measureOwn() {
  const input = keywordExport(rowCount, madeBatches);
  return measure(() => drain(openWorkbook(input)), rowCount);
}

function measureSlowReader() {
  return measure(() => drain(openWorkbook(keywordExport(rowCount, freshBatches)), SLOW_BYTES_PER_SECOND), rowCount);
}

/** Shorter exports: what counts is the memory of many at once, not their length. */
function measureManyReaders() {
  const readers = Number(options.readers);
  const rows = Math.ceil(rowCount / 10);
  return measure(async () => {
    const drained = Array.from({ length: readers }, () =>
      drain(openWorkbook(keywordExport(rows, freshBatches)), SLOW_BYTES_PER_SECOND / 4),
    );
    return (await Promise.all(drained)).reduce((sum, bytes) => sum + bytes, 0);
  }, rows * readers);
}

async function drain(readable, bytesPerSecond = Number.POSITIVE_INFINITY) {
  let bytes = 0;
  const sink = new Writable({
    write(chunk, _encoding, done) {
      bytes += chunk.length;
      if (bytesPerSecond === Number.POSITIVE_INFINITY) done();
      else setTimeout(done, (chunk.length / bytesPerSecond) * 1000);
    },
  });
  await pipeline(readable, sink);
  return bytes;
}

function keywordExport(rows, source) {
  const periods = Array.from({ length: periodCount }, (_, index) => ({
    frequency: 'monthly',
    year: 2020 + Math.floor(index / 12),
    number: 1 + (index % 12),
  }));
  return {
    description: {
      queries: ['running shoes'],
      filters: [],
      planWindow: 'Studio: all months',
      dataVersion: 'bench',
      rowCount: rows,
      exportedAtMs: Date.UTC(2026, 10, 1),
    },
    frequency: 'monthly',
    periods,
    format: 'raw',
    colorThresholdPercent: 5,
    batches: source(rows, periods),
  };
}

/** Rows made anew for every batch, as by a search, so that they count in the memory. */
async function* freshBatches(rows, periods) {
  const random = randomNumbers();
  for (let done = 0; done < rows; done += BATCH_ROWS) {
    // Rows come from a worker thread in the service, so the producer gives way to the event loop as that would.
    await setImmediate();
    yield Array.from({ length: Math.min(BATCH_ROWS, rows - done) }, () => keywordRow(periods, random));
  }
}

/** Rows made beforehand and repeated, so that only the writing of them counts in the time. */
function madeBatches(rows, periods) {
  const random = randomNumbers();
  const made = Array.from({ length: MADE_ROWS }, () => keywordRow(periods, random));
  return (async function* () {
    for (let done = 0; done < rows; done += BATCH_ROWS) {
      await setImmediate();
      const start = done % MADE_ROWS;
      yield made.slice(start, start + Math.min(BATCH_ROWS, rows - done));
    }
  })();
}

function keywordRow(periods, random) {
  const level = 1000 + random(900_000);
  const ranks = Array.from(periods, () => (random(10) === 0 ? null : level + random(level)));
  const term = Array.from({ length: 2 + random(4) }, () => WORDS[random(WORDS.length)]).join(' ');
  return {
    searchTerm: term,
    normalizedSearchTerm: term,
    ranks,
    latestPeriod: periods.at(-1),
    latestRank: level,
    bestRank: level,
    worstRank: level * 2,
    avgRank: level + random(10) / 10,
    totalPeriods: periods.length,
    products: [0, 1, 2].map(() => ({
      asin: `B0${(10_000_000 + random(89_999_999)).toString(36).toUpperCase().padStart(8, '0')}`,
      title: `${WORDS[random(WORDS.length)]} & ${term}, ${random(1000)} units, ${WORDS[random(WORDS.length)]}`,
      clickShare: random(10_000) / 100,
      conversionShare: random(10_000) / 100,
    })),
    brands: ['Acme', `Brand ${random(500)}`],
    categories: ['Clothing, Shoes & Jewelry'],
  };
}

/** A small linear congruential generator: every contender writes the same rows on every machine. */
function randomNumbers() {
  let state = 42;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function measureExceljs() {
  const { default: ExcelJs } = await import(createRequire(join(options.exceljs, 'x.js')).resolve('exceljs'));
  const input = keywordExport(rowCount, madeBatches);
  return measure(async () => {
    let bytes = 0;
    const sink = new Writable({
      write(chunk, _encoding, done) {
        bytes += chunk.length;
        done();
      },
    });
    const workbook = new ExcelJs.stream.xlsx.WorkbookWriter({ stream: sink, useStyles: true, useSharedStrings: false });
    await writeWithExceljs(workbook, input);
    await workbook.commit();
    sink.end();
    await finished(sink);
    return bytes;
  }, rowCount);
}

async function writeWithExceljs(workbook, input) {
  const sheet = workbook.addWorksheet('Keywords', { views: [{ state: 'frozen', xSplit: 1, ySplit: 1 }] });
  const columns = exportColumns(input.periods);
  sheet.columns = columns.map(({ label, widthCharacters }) => ({ header: label, width: widthCharacters }));
  const fills = {
    improved: { type: 'pattern', pattern: 'solid', fgColor: { argb: `FF${PALETTE.improvedFill}` } },
    worsened: { type: 'pattern', pattern: 'solid', fgColor: { argb: `FF${PALETTE.worsenedFill}` } },
  };
  for await (const batch of input.batches) {
    for (const keyword of batch) {
      const cells = periodCells(keyword.ranks, input);
      const row = sheet.addRow(excelValues(keyword, cells));
      cells.forEach((cell, index) => {
        if (cell === null) return;
        const target = row.getCell(index + 2);
        target.numFmt = '#,##0';
        if (cell.tone !== 'neutral') target.fill = fills[cell.tone];
      });
      row.commit();
    }
  }
}

function excelValues(row, cells) {
  const products = row.products.flatMap((product) => [
    product.asin,
    product.title,
    shareFraction(product.clickShare),
    shareFraction(product.conversionShare),
  ]);
  return [
    row.searchTerm,
    ...cells.map((cell) => cell?.value ?? null),
    row.latestRank,
    row.bestRank,
    row.worstRank,
    row.avgRank,
    row.totalPeriods,
    ...products,
    row.brands.join('; '),
    row.categories.join('; '),
  ];
}
