import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runKeyrank } from '../support/process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const HEADER = 'period_type,period,search_term,rank\n';

let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let service: TestService;
let settings: Readonly<Record<string, string>>;

beforeAll(async () => {
  directory = await openTemporaryDirectory();
  const dataDirectory = join(directory.path, 'data');
  service = await startTestService({ KEYRANK_DATA_DIR: dataDirectory });
  settings = { DATABASE_URL: service.database.url.href, KEYRANK_DATA_DIR: dataDirectory };
  // 26 months, of which only Studio sees the first two.
  const months = Array.from(
    { length: 26 },
    (_, i) => `${String(1 + (i % 12)).padStart(2, '0')}-${2024 + Math.floor(i / 12)}`,
  );
  const lines = months.flatMap((month, i) => [
    `monthly,${month},Running Shoes,${10 + i}`,
    `monthly,${month},running shoe rack,${100 - i}`,
  ]);
  const many = Array.from({ length: 60_000 }, (_, i) => `monthly,02-2026,bulk ware ${i},${1000 + i}`);
  await service.publish('ranks.csv', `${HEADER}${[...lines, ...many].join('\n')}\n`);
}, 240_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function exported(query: string): Promise<Buffer> {
  const key = await service.makeKey({ subscription: { plan: 'studio' } });
  const response = await fetch(`${service.url}/v1/search/keywords/export?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return Buffer.from(await response.arrayBuffer());
}

describe('keyrank export', () => {
  it.each([
    [
      'csv',
      ['running', '--order-by', '01-2024', '--order-direction', 'desc'],
      'query=running&order_by=01-2024&order_direction=desc',
    ],
    [
      'ndjson',
      ['rack', 'shoes', '--format', 'percentage', '--max-rank', '80'],
      'query=rack&query=shoes&format=percentage&max_rank=80',
    ],
  ])('writes the %s that the endpoint sends to Studio', async (form, args, query) => {
    const out = join(directory.path, `ranks.${form}`);
    const { code, stdout } = await runKeyrank(['export', ...args, '--out', out], settings);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\/.*: [12] rows, 0\.0 MB in [0-9.]+ s\n$/);
    const bytes = await readFile(out);
    expect(bytes.length).toBeGreaterThan(100);
    expect(bytes.equals(await exported(`${query}&file_format=${form}`))).toBe(true);
  });

  it.each([
    ['xlsx', 'PK'],
    ['parquet', 'PAR1'],
  ])('writes %s, and a summary for scripts', async (form, start) => {
    const out = join(directory.path, `shoes.${form}`);
    const { code, stdout } = await runKeyrank(['export', 'running', '--json', '--out', out], settings);
    const bytes = await readFile(out);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      file: out,
      file_format: form,
      rows: 2,
      size_bytes: bytes.length,
      duration_ms: expect.any(Number),
    });
    expect(bytes.subarray(0, start.length).toString()).toBe(start);
  });

  it('writes to standard output, and all else to standard error in plain lines', async () => {
    const { code, stdout, stderr } = await runKeyrank(['export', 'bulk', '--file-format', 'csv'], settings);
    expect(code).toBe(0);
    expect(stdout.split('\r\n')).toHaveLength(60_002);
    expect(stderr).toMatch(/^1[0-9] %, [0-9,]+ of 60,000 rows, [0-9,]+ rows\/s, [0-9]+ s left$/m);
    expect(stderr).toMatch(/^60,000 rows, [0-9.]+ MB in [0-9.]+ s$/m);
    expect(stderr).not.toContain('\r');
  });

  it('replaces a file only when the new one is complete', async () => {
    const out = join(directory.path, 'kept.csv');
    await writeFile(out, 'as it was');
    const { code, stderr } = await runKeyrank(['export', 'running', '--order-by', '13-2025', '--out', out], settings);
    expect([code, await readFile(out, 'utf8')]).toEqual([1, 'as it was']);
    expect(stderr).toBe(
      "error: Option --order-by names the period '13-2025', which is not a monthly period.\nUse a monthly period from 01-2024 to 02-2026.\n",
    );
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const folder = join(directory.path, 'interrupted');
    await mkdir(folder);
    const args = [PROGRAM, 'export', 'bulk', '--out', join(folder, 'bulk.xlsx')];
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...settings } });
    let said = '';
    child.stderr.on('data', (chunk) => {
      const wasWriting = said.includes('rows/s');
      said += chunk;
      if (!wasWriting && said.includes('rows/s')) child.kill('SIGINT');
    });
    const [code] = await once(child, 'close');
    expect([code, await readdir(folder)]).toEqual([1, []]);
    expect(said).toContain('error: The export was stopped. No file was written.');
  });

  it.each([
    [
      ['--min-rank', 'x'],
      "Option --min-rank must be an integer from 1 to 40000000, but is 'x'.\nUse for example --min-rank 1.\n",
    ],
    // Words of the caller are no names of parameters.
    [['--type', "Parameter 'query' limit=5"], "but is 'Parameter 'query' limit=5'.\nUse for example --type monthly.\n"],
    [['--brand', ' '], 'Option --brand is blank.'],
    [['  '], 'Argument <query> is blank.'],
    [['--file-format', 'xls'], "Option --file-format must be one of 'xlsx', 'csv', 'ndjson', 'parquet'"],
    [['--marketplace', 'DE'], "Option --marketplace names 'DE', for which there is no data."],
  ])('refuses %j in the words of the command line', async (args, message) => {
    const { code, stderr } = await runKeyrank(['export', 'running', ...args], settings);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  it('explains itself', async () => {
    const { code, stdout } = await runKeyrank(['export', '--help']);
    expect(code).toBe(0);
    for (const flag of ['--method', '--type', '--brand', '--category', '--color-threshold', '--file-format', '--out']) {
      expect(stdout).toContain(flag);
    }
  });
});
