import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../src/config.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function read(path: string): Promise<string> {
  return readFile(new URL(`../${path}`, import.meta.url), 'utf8');
}

describe('the npm package', () => {
  it('has the program, the page, the migrations and the API document, and nothing that only developers need', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
    });
    const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'openapi.json',
        'dist/cli/main.js',
        'dist/snapshot/export-worker.js',
        'dist/snapshot/search-worker.js',
        'dist/postgres/migrations/0001-accounts.sql',
        'dist/web/index.html',
        'dist/web/reference.html',
        'dist/http/recorded-answers.json',
      ]),
    );
    expect(paths.filter((path) => /\.(ts|tsx|map)$|^(src|test|docs|web|data|node_modules)\//.test(path))).toEqual([]);
  });

  it('needs at run time only what it lists', async () => {
    const { dependencies, optionalDependencies } = JSON.parse(await read('package.json'));
    const sources = (await promisify(execFile)('git', ['ls-files', 'src'], { cwd: ROOT })).stdout.trim().split('\n');
    const programs = sources.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
    const imported = new Set<string>();
    for (const path of programs) {
      for (const [, name = ''] of (await read(path)).matchAll(/^(?:import|} from) (?:.* from )?'([^.'][^']*)';$/gm)) {
        if (!name.startsWith('node:'))
          imported.add(
            name
              .split('/')
              .slice(0, name.startsWith('@') ? 2 : 1)
              .join('/'),
          );
      }
    }
    expect([...imported]).toEqual(expect.arrayContaining(['fastify', 'pg', '@duckdb/node-api']));
    const listed = Object.keys({ ...dependencies, ...optionalDependencies });
    expect([...imported].filter((name) => !listed.includes(name))).toEqual([]);
  });
});

describe('the container', () => {
  it('copies files that are there', async () => {
    const copied = [...(await read('Dockerfile')).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' '),
    );
    expect(copied).toEqual(expect.arrayContaining(['package-lock.json', 'src', 'web', 'scripts']));
    expect(copied.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([]);
  });

  it.each(['Dockerfile', 'compose.yaml', 'packaging/keyrank.service'])(
    'and the unit file use settings that exist: %s',
    async (path) => {
      const known = SETTINGS.map(({ name }) => name) as readonly string[];
      const used = [...(await read(path)).matchAll(/\b(KEYRANK_[A-Z_]+|DATABASE_URL)\b/g)].map(([name]) => name);
      // The password of the database in compose.yaml is compose's own.
      expect([...new Set(used)].filter((name) => !known.includes(name) && name !== 'KEYRANK_DB_PASSWORD')).toEqual([]);
      expect(used.length).toBeGreaterThan(0);
    },
  );
});
