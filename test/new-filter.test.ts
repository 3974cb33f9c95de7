// A filter that does not exist is added to a copy of the code: one entry in the list of filters, and one line that tells the engine
// which column it bounds. Whatever else has to change is made again by the generators, and the filter must be everywhere.
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STUDIO } from '../src/domain/plan.ts';
import { NO_FILTERS } from '../src/domain/search-filter.ts';
import { pageOperations } from './docs/page-operations.ts';
import { rankedData } from './store/search-fixture.ts';
import { type TestData, writeRankData } from './support/rank-data.ts';
import { openTemporaryDirectory } from './support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COPIED = ['src', 'web', 'sdk', 'package.json', 'tsconfig.json', 'openapi.json'];
const MAX_TOUCHED_FILES = 6;

const ENTRY = `
  maxPreviousRank: {
    kind: 'bound',
    side: 'most',
    parameter: 'max_previous_rank',
    description: 'Keeps keywords whose rank of the period before is at most this.',
    advice: 'Highest rank of the period before.',
    title: 'Previous rank to',
    max: MAX_RANK,
    example: 7,
  },`;

type Directory = Awaited<ReturnType<typeof openTemporaryDirectory>>;
let directory: Directory;

/** A module of the copy. */
const load = async (path: string) => await import(/* @vite-ignore */ join(directory.path, path));

async function insert(path: string, { behind, text }: { readonly behind: string; readonly text: string }) {
  const file = join(directory.path, path);
  const before = await readFile(file, 'utf8');
  expect(before.split(behind)).toHaveLength(2);
  await writeFile(file, before.replace(behind, behind + text));
}

async function describeApi(): Promise<string> {
  const [{ openApiDocument }, { ENDPOINTS }, { readRecordedAnswers }] = await Promise.all([
    load('src/http/openapi.ts'),
    load('src/http/routes.ts'),
    load('src/http/recorded-answers.ts'),
  ]);
  return `${JSON.stringify(openApiDocument(ENDPOINTS, { version: '0.1.0', recorded: readRecordedAnswers() }), null, 2)}\n`;
}

beforeAll(async () => {
  directory = await openTemporaryDirectory();
  for (const path of COPIED) await cp(join(ROOT, path), join(directory.path, path), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(directory.path, 'node_modules'));
  // By hand.
  await insert('src/domain/search-filter.ts', { behind: 'export const SEARCH_FILTERS = {', text: ENTRY });
  await insert('src/snapshot/query/document-filter.ts', {
    behind: "  maxWords: 'wordCounts',\n",
    text: "  maxPreviousRank: 'previousRanks',\n",
  });
  await insert('src/snapshot/query/document-filter.ts', {
    behind: "type Column = 'latestRanks'",
    text: " | 'previousRanks'",
  });
  // By npm run reference and npm run generate:sdk.
  await writeFile(join(directory.path, 'openapi.json'), await describeApi());
  const [{ ENDPOINTS }, { SEARCH_FILTERS }, { TOOLS }] = await Promise.all([
    load('src/http/routes.ts'),
    load('src/domain/search-filter.ts'),
    load('src/mcp/mcp-server.ts'),
  ]);
  const operations = pageOperations({ endpoints: ENDPOINTS, filters: SEARCH_FILTERS, tools: TOOLS });
  await writeFile(join(directory.path, 'web/api/operations.ts'), operations);
  const generator = dirname(createRequire(import.meta.url).resolve('@hey-api/openapi-ts/package.json'));
  const options = ['--file', 'sdk/openapi-ts.config.ts', '--no-log-file'];
  await promisify(execFile)(process.execPath, [join(generator, 'bin/run.js'), ...options], { cwd: directory.path });
});
afterAll(() => directory[Symbol.asyncDispose]());

/** By the engine of the copy. */
async function buildView(data: TestData) {
  const [{ buildSnapshot }, { loadSnapshot }, { viewSnapshot }] = await Promise.all([
    load('src/snapshot/build/build.ts'),
    load('src/snapshot/format/load.ts'),
    load('src/snapshot/format/snapshot-view.ts'),
  ]);
  const sources = await writeRankData(join(directory.path, 'data'), data);
  const outputDirectory = join(directory.path, 'snapshot');
  const set = { marketplace: 'US', frequency: 'monthly', source: 'search' };
  await buildSnapshot({ ...set, ...sources, outputDirectory });
  const { manifest, buffers } = await loadSnapshot({ directory: outputDirectory });
  return viewSnapshot(manifest, buffers);
}

async function listTouched(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(directory.path, folder), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const touched = await Promise.all(
    paths.map(async (path) => {
      const own = relative(directory.path, path);
      return (await readFile(path)).equals(await readFile(join(ROOT, own))) ? [] : [own];
    }),
  );
  return touched.flat().sort();
}

describe('a new filter', () => {
  it('touches a list, the engine and a file that is made', async () => {
    const touched = [...(await listTouched('src')), ...(await listTouched('web'))];
    expect(touched).toEqual([
      'src/domain/search-filter.ts',
      'src/snapshot/query/document-filter.ts',
      'web/api/operations.ts',
    ]);
    expect(touched.length).toBeLessThanOrEqual(MAX_TOUCHED_FILES);
  });

  it('is a documented parameter of search, its roots and the exports of both, and of nothing else', async () => {
    const { paths } = JSON.parse(await describeApi());
    const having = Object.entries<{ get?: { parameters: { name: string }[] } }>(paths).filter(([, { get }]) =>
      get?.parameters.some(({ name }) => name === 'max_previous_rank'),
    );
    expect(having.map(([path]) => path)).toEqual([
      '/v1/search/keywords',
      '/v1/search/keywords/export',
      '/v1/search/roots',
      '/v1/search/roots/export',
    ]);
    const { parameters } = paths['/v1/search/keywords'].get;
    expect(parameters.find(({ name }: { name: string }) => name === 'max_previous_rank')).toEqual({
      name: 'max_previous_rank',
      in: 'query',
      required: false,
      description: 'Keeps keywords whose rank of the period before is at most this.',
      schema: { type: 'integer', minimum: 1, maximum: 40_000_000 },
      example: 7,
    });
  });

  it('is read, planned and executed', async () => {
    const [parameters, { searchParameters }, { toSearchQuery }, { planSearch }, { search }] = await Promise.all([
      load('src/http/parameters.ts'),
      load('src/http/v1/search-parameters.ts'),
      load('src/http/v1/search-query-parameters.ts'),
      load('src/domain/search-plan.ts'),
      load('src/snapshot/query/search.ts'),
    ]);
    const read = (text: string) =>
      parameters.parseParameters(searchParameters, `query=shoes&max_previous_rank=${text}`);
    expect(() => read('0')).toThrow(/Parameter 'max_previous_rank' must be an integer from 1 to 40000000, but is '0'/);
    const data = rankedData(['red shoes', 'blue shoes', 'old shoes'], ['blue shoes', 'old shoes', 'red shoes']);
    const published = data.periods.map(({ period }) => period);
    const planOf = (text: string) =>
      planSearch(toSearchQuery({ ...read(text), marketplace: 'US' }), { plan: STUDIO, published });
    expect(planOf('2').filters).toEqual({ ...NO_FILTERS, maxPreviousRank: 2 });
    const view = await buildView(data);
    const countOf = (text: string) => search(view, planOf(text), { throwIfCancelled: () => {} }).totalCount;
    expect([countOf('3'), countOf('2'), countOf('1')]).toEqual([3, 2, 1]);
  });

  it('is an input of the tool of agents', async () => {
    const { TOOLS } = await load('src/mcp/mcp-server.ts');
    const tool = TOOLS.find(({ name }: { name: string }) => name === 'search_keywords');
    const input = tool.input.parse({ query: ['shoes'], max_previous_rank: 5 });
    expect(tool.plan(input).target).toContain('max_previous_rank=5');
    expect(tool.input.shape.max_previous_rank.description).toBe('Highest rank of the period before.');
    expect(() => tool.input.parse({ query: ['shoes'], max_previous_rank: 0 })).toThrow();
  });

  it('is on the page, in what it asks, and in what it copies for programs', async () => {
    const [{ RANGE_FILTERS }, { writeMcpCall }, { OPERATIONS }] = await Promise.all([
      load('web/search/search-filters.ts'),
      load('web/parts/mcp-call.ts'),
      load('web/api/operations.ts'),
    ]);
    expect(RANGE_FILTERS).toContainEqual({ max: 'max_previous_rank', name: 'Previous rank', unit: 'previous rank' });
    expect(OPERATIONS['/v1/search/keywords'].parameters.max_previous_rank).toBe('number');
    const params = new URLSearchParams('query=shoes&max_previous_rank=5&min_words=2');
    expect(JSON.parse(writeMcpCall({ path: '/v1/search/keywords', params }))).toEqual({
      name: 'search_keywords',
      arguments: { query: ['shoes'], max_previous_rank: 5, min_words: 2 },
    });
  });

  it('is an option of the command line, and stands in the head of an export', async () => {
    const { openProgram } = await load('src/cli/commands.ts');
    const program = await openProgram(['export']);
    const command = program.commands.find((each: { name(): string }) => each.name() === 'export');
    expect(command.options.map(({ long }: { long: string }) => long)).toContain('--max-previous-rank');
    const { describeFilters } = await load('src/http/v1/export-content.ts');
    expect(describeFilters({ max_previous_rank: 5 })).toEqual([{ name: 'Previous rank to', value: '5' }]);
  });

  it('is in the SDK', async () => {
    const types = await readFile(join(directory.path, 'sdk/src/generated/types.gen.ts'), 'utf8');
    expect(types.split('max_previous_rank?: number;')).toHaveLength(5);
  });
});
