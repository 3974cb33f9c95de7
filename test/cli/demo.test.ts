import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_SIZES } from '../../demo/size.ts';
import { type DemoCommandOptions, registerDemo } from '../../src/cli/demo.ts';
import type { ImportFile } from '../../src/ingest/import-request.ts';

const SIZES = { s: { terms: 200, months: 2, weeks: 1, socialTerms: 50 } };

let directory: string;
let printed: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keyrank-demo-'));
  printed = '';
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function run(words: readonly string[], options: Partial<DemoCommandOptions> = {}): Promise<void> {
  const program = new Command().exitOverride();
  const out = { isTTY: false, write: (text: string) => (printed += text) };
  registerDemo(program, { out, now: () => new Date('2026-11-15T00:00:00Z'), sizes: SIZES, ...options });
  await program.parseAsync(['demo', 'generate', ...words], { from: 'user' });
}

describe('keyrank demo generate', () => {
  it('says how large each size is', () => {
    const program = new Command();
    registerDemo(program);
    const help = program.commands[0]?.commands[0]?.helpInformation().replace(/\s+/g, ' ');
    for (const [name, { terms, months, weeks }] of Object.entries(DEMO_SIZES)) {
      expect(help).toContain(`${name}: ${terms.toLocaleString('en-US')} terms, ${months} months, ${weeks} weeks`);
    }
  });

  it('writes size s and says so in JSON', async () => {
    await run(['--out', directory, '--json']);
    const { elapsed_ms, size_bytes, ...result } = JSON.parse(printed);
    expect(result).toEqual({ directory, size: 's', seed: 1, marketplace: 'US', files: 5, rows: 750 });
    expect(elapsed_ms).toBeGreaterThan(0);
    expect(size_bytes).toBeGreaterThan(200_000);
    const files = await readdir(directory);
    expect(files).toHaveLength(5);
    expect(files).toContain('US_Social_Ranks_Weekly.csv');
  });

  it('takes numbers of terms, months and weeks instead of those of the size', async () => {
    await run(['--out', directory, '--json', '--terms', '120', '--months', '0', '--weeks', '3', '--churn', '.25']);
    expect(JSON.parse(printed)).toMatchObject({ files: 4, rows: 3 * 120 + 3 * 50 });
    const names = await readdir(directory);
    expect(names.filter((name) => name.includes('Week_'))).toHaveLength(3);
  });

  it('hands each file to the importer and deletes it, in plain lines when not in a terminal', async () => {
    const imported: string[] = [];
    const stop = new Error('enough');
    const importFiles = async (files: AsyncIterable<ImportFile>): Promise<void> => {
      for await (const { path } of files) {
        expect(await readdir(directory)).toEqual([path.slice(directory.length + 1)]);
        imported.push(path);
        if (imported.length === 2) throw stop;
      }
    };
    await expect(run(['--out', directory, '--import'], { importFiles })).rejects.toBe(stop);
    expect(imported[0]).toBe(join(directory, 'US_Top_Search_Terms_Simple_Month_2026_09_30.csv'));
    expect(await readdir(directory)).toEqual([]);
    expect(printed.split('\n')[0]).toMatch(/^US_Top_Search_Terms_Simple_Month_2026_09_30\.csv: 200 rows, [0-9.]+ MB$/);
  });

  it.each([
    [['--size', 'xl'], 'There is no size "xl".'],
    [['--seed', '-1'], 'The seed "-1" is not a whole number from 0 to 4294967295.'],
    [['--marketplace', 'USA'], '"USA" is not a marketplace.'],
    [['--weeks', '521'], '--weeks "521" is not a whole number from 0 to 520.'],
    [['--months', '1.5'], '--months "1.5" is not a whole number from 0 to 120.'],
    [['--terms', '99'], '--terms "99" is not a whole number from 100 to 3,000,000.'],
    [['--terms', '1e6'], '--terms "1e6" is not a whole number from 100 to 3,000,000.'],
    [['--churn', '0.51'], 'The churn "0.51" is not a share from 0 to 0.5.'],
    [['--churn', '-0.1'], 'The churn "-0.1" is not a share from 0 to 0.5.'],
    [['--churn', ''], 'The churn "" is not a share from 0 to 0.5.'],
    [['--churn', '.'], 'The churn "." is not a share from 0 to 0.5.'],
    [['--months', '0', '--weeks', '0'], 'There is nothing to generate.'],
  ])('refuses %j', async (words, message) => {
    await expect(run(['--out', directory, ...words])).rejects.toMatchObject({ name: 'OperatorError', message });
  });

  it('refuses a directory that cannot be made', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    const path = join(file, 'out');
    await expect(run(['--out', path])).rejects.toMatchObject({
      name: 'OperatorError',
      message: `The directory "${path}" cannot be written to.`,
    });
  });
});
