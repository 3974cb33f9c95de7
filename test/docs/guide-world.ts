// What a reader of the guides has at hand: a folder with reports, the program, a running service, and a key.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateReports } from '../../demo/report.ts';
import { ResourceStack } from '../../src/resource-stack.ts';
import { makeEmptyDatabase } from '../support/database.ts';
import { startTestService } from '../support/service.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SIZE = { terms: 600, months: 3, weeks: 3, socialTerms: 0 };
const NOW = new Date('2026-11-15T00:00:00Z');
/** The one that the guides import. */
const NEW_REPORT = 'US_Top_Search_Terms_Simple_Week_2026_11_14.csv';

export interface GuideWorld extends AsyncDisposable {
  /** A folder of its own for a guide, with the new report in it. */
  openFolder(): Promise<string>;
  /** Runs a program in a folder, as the reader would. */
  run(program: string, args: readonly string[], folder: string): Promise<{ code: number; output: string }>;
}

export async function openGuideWorld(): Promise<GuideWorld> {
  await using stack = new ResourceStack();
  const service = stack.use(await startTestService());
  const empty = stack.use(await makeEmptyDatabase());
  const { path: directory } = stack.use(await openTemporaryDirectory());
  const { [NEW_REPORT]: newReport = '', ...others } = await demoReports(directory);
  await service.publishAll(others, 'search');
  const key = await service.makeKey({ organization: 'Demo', subscription: { plan: 'studio' } });
  await writePrograms(directory);
  const environment = {
    ...process.env,
    DATABASE_URL: service.database.url.href,
    KEYRANK_DATA_DIR: service.dataDirectory,
    PATH: [join(directory, 'bin'), process.env.PATH].join(delimiter),
    // curl looks here for its own settings.
    CURL_HOME: directory,
    URL: service.url,
    KEY: key,
    KEYRANK_URL: service.url,
    KEYRANK_API_KEY: key,
    EMPTY_DATABASE_URL: empty.url.href,
  };
  const opened = stack.move();
  return {
    openFolder: async () => {
      const folder = await mkdtemp(join(directory, 'guide-'));
      await writeFile(join(folder, NEW_REPORT), newReport);
      return folder;
    },
    run: (program, args, folder) =>
      new Promise((resolve) => {
        execFile(program, args, { cwd: folder, env: environment }, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
        );
      }),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** Their texts by file name. */
async function demoReports(directory: string): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const report of generateReports({ size: SIZE, now: NOW })) {
    const path = join(directory, report.fileName);
    await report.write(path);
    texts[report.fileName] = await readFile(path, 'utf8');
  }
  return texts;
}

/** `npx keyrank` without a package, and a curl that fails when the answer is a failure. */
async function writePrograms(directory: string): Promise<void> {
  await mkdir(join(directory, 'bin'));
  const npx = join(directory, 'bin', 'npx');
  await writeFile(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  await chmod(npx, 0o755);
  await writeFile(join(directory, '.curlrc'), 'fail-with-body\nsilent\n');
}
