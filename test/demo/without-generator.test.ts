// The generator is loaded by `serve --demo` and `demo generate` alone: an installation without it does everything else.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentReport, fixtureRows, WEEK_NAME, writeReport } from '../ingest/report-fixture.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { serviceLogin } from '../support/process.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));

let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let database: TestDatabase;
let program: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  directory = await openTemporaryDirectory();
  database = await makeDatabase();
  const { path } = directory;
  const generator = join(CHECKOUT, 'dist/demo');
  await cp(join(CHECKOUT, 'dist'), join(path, 'dist'), { recursive: true, filter: (source) => source !== generator });
  await cp(join(CHECKOUT, 'package.json'), join(path, 'package.json'));
  await symlink(join(CHECKOUT, 'node_modules'), join(path, 'node_modules'));
  program = join(path, 'dist/cli/main.js');
  const settings = { DATABASE_URL: database.url.href, KEYRANK_DATA_DIR: join(path, 'data') };
  const ports = { PORT: '0', KEYRANK_ADMIN_PORT: '0' };
  env = { PATH: process.env.PATH, ...settings, ...serviceLogin(settings), ...ports };
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function run(...args: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [program, ...args], { env })).stdout;
}

describe('without the demo generator', () => {
  it('there is help for everything', async () => {
    expect(await readdir(join(directory.path, 'dist'))).not.toContain('demo');
    expect(await run('--help')).toContain('demo');
    expect(await run('demo', 'generate', '--help')).toContain('--size');
  });

  it('reports are imported, and the service serves', async () => {
    const path = await writeReport(directory.path, WEEK_NAME, currentReport(fixtureRows(3)));
    expect(await run('import', path)).toContain('published as revision 1');
    const server = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let url: string | undefined;
    for await (const line of createInterface({ input: server.stderr })) {
      if (line.includes('"msg":"listening"')) url = JSON.parse(line).url;
      if (url) break;
    }
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    server.kill();
    await once(server, 'close');
  });

  it('demo data cannot be made', async () => {
    await expect(run('demo', 'generate', '--out', join(directory.path, 'out'))).rejects.toThrow('demo/report.js');
  });
});
