import { execFile } from 'node:child_process';
import { cp, readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createKeyrank } from '../../sdk/src/keyrank.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONFIG = 'sdk/openapi-ts.config.ts';
const GENERATED = 'sdk/src/generated';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly security?: readonly object[];
}

async function readFolder(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(paths.map(async (path) => [path.slice(folder.length), await readFile(path, 'utf8')]));
  return Object.fromEntries(texts);
}

it('is what the generator makes of openapi.json (npm run generate:sdk writes it)', async () => {
  await using directory = await openTemporaryDirectory();
  const generator = join(
    dirname(createRequire(import.meta.url).resolve('@hey-api/openapi-ts/package.json')),
    'bin/run.js',
  );
  for (const path of ['openapi.json', CONFIG]) await cp(join(ROOT, path), join(directory.path, path));
  await promisify(execFile)(process.execPath, [generator, '--file', CONFIG, '--no-log-file'], { cwd: directory.path });
  const committed = await readFolder(join(ROOT, GENERATED));
  expect(Object.keys(committed)).toContain('/types.gen.ts');
  expect(await readFolder(join(directory.path, GENERATED))).toEqual(committed);
});

it('is offered whole: one function per operation, one iterator per list with pages', async () => {
  const { paths } = JSON.parse(await readFile(join(ROOT, 'openapi.json'), 'utf8')) as {
    readonly paths: Record<string, Record<string, Operation>>;
  };
  // Programs have keys: what takes a person or nobody is not for them, nor is a stream without an end a call.
  const operations = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ security, operationId }) => security === undefined && operationId !== 'listenToEvents');
  const { all, ...functions } = createKeyrank({ baseUrl: 'http://127.0.0.1', apiKey: 'krk_none' });
  expect(Object.keys(functions).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
  const paged = operations.filter(
    ({ operationId, parameters }) =>
      // A file has no next page.
      !operationId.startsWith('export') && parameters.some(({ name }) => name === 'page' || name === 'offset'),
  );
  expect(Object.keys(all).sort()).toEqual(paged.map(({ operationId }) => operationId).sort());
});
