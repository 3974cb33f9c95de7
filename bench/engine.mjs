// Measures building, loading and searching a snapshot of synthetic data. Run `npm run bench -- --help` first, then for example:
//   node --expose-gc bench/engine.mjs --dir /tmp/bench --terms 1000000 --periods 24
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeSyntheticSegments } from '../dist-bench/bench/data/synthetic-segments.js';
import { planAsinSearch, planSearch } from '../dist-bench/src/domain/search-plan.js';
import { buildSnapshot } from '../dist-bench/src/snapshot/build.js';
import { loadSnapshot, residentBytes } from '../dist-bench/src/snapshot/load.js';
import { presentPage } from '../dist-bench/src/snapshot/present-page.js';
import { search } from '../dist-bench/src/snapshot/search.js';
import { viewSnapshot } from '../dist-bench/src/snapshot/snapshot-view.js';
import { readText } from '../dist-bench/src/snapshot/text-column.js';

const { values } = parseArgs({
  options: {
    dir: { type: 'string' },
    terms: { type: 'string', default: '1000000' },
    periods: { type: 'string', default: '24' },
    rebuild: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const directory = values.dir;
const termsPerPeriod = Number(values.terms);
const periodCount = Number(values.periods);
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;

async function timed(work) {
  const start = performance.now();
  const result = await work();
  return [result, performance.now() - start];
}

const [sources, generateMs] = await timed(() =>
  writeSyntheticSegments({ directory: join(directory, 'source'), termsPerPeriod, periodCount }),
);
console.log(`data: ${termsPerPeriod} terms x ${periodCount} periods, generated in ${seconds(generateMs)}`);

const set = { marketplace: 'US', frequency: 'monthly', source: 'search' };
async function build(count, previous, outputDirectory) {
  await rm(outputDirectory, { recursive: true, force: true });
  const steps = [];
  const start = performance.now();
  const cpu = process.cpuUsage();
  let last = start;
  let lastName = 'read';
  await buildSnapshot({
    ...set,
    periods: sources.periods.slice(0, count),
    dictionaries: {
      terms: sources.dictionaries.terms.slice(0, count),
      products: sources.dictionaries.products.slice(0, count),
      brands: sources.dictionaries.brands,
      categories: sources.dictionaries.categories,
    },
    ...(previous ? { previous } : {}),
    outputDirectory,
    onProgress: ({ step, done }) => {
      steps.push(`${lastName} ${Math.round(performance.now() - last)}`);
      lastName = `${step}${step === 'columns' ? done : ''}`;
      last = performance.now();
    },
  });
  steps.push(`${lastName} ${Math.round(performance.now() - last)}`);
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000, steps };
}

let newest = join(directory, `snapshot-${periodCount}`);
if (values.rebuild) {
  let previous;
  for (let count = 1; count <= periodCount; count += 1) {
    const output = join(directory, `snapshot-${count}`);
    const { ms, cpuMs, steps } = await build(count, previous, output);
    console.log(
      `build ${count}: ${seconds(ms)} (${seconds(cpuMs)} of processor), rss ${megabytes(process.memoryUsage().rss)}; ms: ${steps.join(', ')}`,
    );
    if (previous) await rm(previous, { recursive: true });
    previous = output;
  }
  newest = previous;
}

const [loaded, loadMs] = await timed(() => loadSnapshot({ directory: newest }));
const view = viewSnapshot(loaded.manifest, loaded.buffers);
console.log(
  `load: ${seconds(loadMs)}, ${megabytes(residentBytes(loaded))} resident, ${view.documentCount} keywords, rss ${megabytes(process.memoryUsage().rss)}`,
);

const stems = Array.from({ length: view.stemPostingEnds.length }, (_, stem) => ({
  stem,
  count: view.stemPostingEnds[stem] - (stem === 0 ? 0 : view.stemPostingEnds[stem - 1]),
})).sort((a, b) => b.count - a.count);
const wordNear = (count) => {
  const found = stems.find((each) => each.count <= count && !/[0-9]/.test(readText(view.stems, each.stem)));
  const word = view.wordStems.indexOf((found ?? stems.at(-1)).stem);
  return readText(view.words, word);
};
const base = {
  ...set,
  frequency: 'monthly',
  queries: [],
  method: 'similar',
  excludeQueries: [],
  brands: [],
  asins: [],
  categories: [],
  orderBy: 'best_match',
  orderDirection: undefined,
  excludeNulls: false,
  minRank: undefined,
  maxRank: undefined,
  minWords: undefined,
  maxWords: undefined,
  page: 1,
  limit: 50,
};
const context = { plan: 'studio', published: view.periods };
const words = {
  veryCommon: wordNear(271_000),
  common: wordNear(36_000),
  rare: wordNear(100),
  medium: wordNear(60_000),
};
const newestKey = view.periodKeys.at(-3);

function measure(name, plan) {
  const runOnce = () => {
    const outcome = search(view, plan, { throwIfCancelled: () => {} });
    return { total: outcome.totalCount, bytes: presentPage(view, outcome).length };
  };
  for (let i = 0; i < 5; i += 1) runOnce();
  const times = [];
  let result;
  for (let i = 0; i < 30; i += 1) {
    const start = performance.now();
    result = runOnce();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  console.log(
    `${name.padEnd(44)} ${times[0].toFixed(3).padStart(9)} / ${times[15].toFixed(3).padStart(7)} ms   ${String(result.total).padStart(8)} matches, ${result.bytes} bytes`,
  );
  return times[0];
}

/** One pass over the posting list and a key column, keeping the best 50: what no engine can undercut. */
function floor(word, column) {
  const entry = stems.find(
    ({ stem }) => readText(view.stems, stem) === readText(view.stems, view.wordStems[findWord(word)]),
  );
  const start = entry.stem === 0 ? 0 : view.stemPostingEnds[entry.stem - 1];
  const end = view.stemPostingEnds[entry.stem];
  const times = [];
  for (let round = 0; round < 40; round += 1) {
    const began = performance.now();
    const best = new Uint32Array(50).fill(0xffffffff);
    let worst = 0xffffffff;
    for (let i = start; i < end; i += 1) {
      const key = column[view.stemPostings[i]];
      if (key >= worst) continue;
      let at = 49;
      while (at > 0 && best[at - 1] > key) {
        best[at] = best[at - 1];
        at -= 1;
      }
      best[at] = key;
      worst = best[49];
    }
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return times[0];
}
function findWord(word) {
  for (let i = 0; i < view.wordStems.length; i += 1) if (readText(view.words, i) === word) return i;
  return -1;
}

const avg = view.summaries.get(view.periods.length).avgRanks;
for (const kind of ['common', 'veryCommon']) {
  console.log(`floor, ${kind} word`.padEnd(44), floor(words[kind], avg).toFixed(3).padStart(9), 'ms');
}
const keyword = (query) => planSearch({ ...base, ...query }, context);
const orders = [
  'best_match',
  'fts_rank',
  'similarity_score',
  'latest_rank',
  'latest_period',
  'best_rank',
  'worst_rank',
  'avg_rank',
  'total_periods',
];
for (const kind of ['rare', 'common', 'veryCommon']) {
  for (const orderBy of orders) measure(`${kind} word, ${orderBy}`, keyword({ queries: [words[kind]], orderBy }));
  measure(`${kind} word, period`, keyword({ queries: [words[kind]], orderBy: { periodKey: newestKey } }));
  measure(`${kind} word, avg_rank, page 1000`, keyword({ queries: [words[kind]], orderBy: 'avg_rank', page: 1000 }));
  measure(`${kind} word, best_match, page 1000`, keyword({ queries: [words[kind]], page: 1000 }));
  measure(`${kind} word, brand`, keyword({ queries: [words[kind]], brands: ['brand 7'] }));
  measure(`${kind} word, category`, keyword({ queries: [words[kind]], categories: ['Sports & Outdoors'] }));
  measure(`${kind} word, product`, keyword({ queries: [words[kind]], asins: ['B000000007'] }));
  measure(`${kind} word, excluded word`, keyword({ queries: [words[kind]], excludeQueries: [words.medium] }));
  measure(`${kind} word, limit 1000`, keyword({ queries: [words[kind]], limit: 1000 }));
}
measure('two words', keyword({ queries: [`${words.veryCommon} ${words.medium}`] }));
measure('two words, avg_rank', keyword({ queries: [`${words.veryCommon} ${words.medium}`], orderBy: 'avg_rank' }));
measure('three words', keyword({ queries: [`${words.veryCommon} ${words.medium} ${words.common}`] }));
measure('two queries', keyword({ queries: [words.veryCommon, words.medium] }));
measure('exact', keyword({ queries: [readText(view.terms, 1234)], method: 'exact' }));
measure('typo', keyword({ queries: [`${words.common}zq`] }));
measure('asin', planAsinSearch({ ...base, asins: ['B000000007'] }, context));
if (!values.keep) await rm(directory, { recursive: true, force: true });
