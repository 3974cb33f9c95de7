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
        'dist/snapshot/threads/export-worker.js',
        'dist/snapshot/threads/search-worker.js',
        'dist/postgres/migrations/0001-accounts.sql',
        'dist/web/index.html',
        'dist/web/reference.html',
        'dist/http/recorded-answers.json',
        'dist/demo/report-worker.js',
        'dist/demo/vocabulary/clothing.json',
      ]),
    );
    expect(
      paths.filter((path) => /\.(ts|tsx|map)$|^(src|demo|bench|test|docs|web|data|node_modules)\//.test(path)),
    ).toEqual([]);
  });

  it('needs at run time only what it lists', async () => {
    const { dependencies, optionalDependencies } = JSON.parse(await read('package.json'));
    const sources = (await promisify(execFile)('git', ['ls-files', 'src', 'demo'], { cwd: ROOT })).stdout
      .trim()
      .split('\n');
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

describe('an installation', () => {
  it('has install scripts only of packages about which npm was told', async () => {
    const { allowScripts } = JSON.parse(await read('package.json'));
    const { packages } = JSON.parse(await read('package-lock.json'));
    const withScripts = Object.entries<{ hasInstallScript?: boolean }>(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    // A version behind a name would not match: the lockfile holds no addresses, without which npm does not compare it.
    expect(Object.keys(allowScripts).toSorted()).toEqual(withScripts.toSorted());
  });
});

describe('limits of whoever runs it', () => {
  it('are there in the systemd unit: memory, processes, and files for its own user', async () => {
    const unit = await read('packaging/keyrank.service');
    const settings = new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
    expect(Object.fromEntries(settings)).toMatchObject({
      UMask: '0077',
      StateDirectoryMode: '0700',
      MemoryHigh: expect.stringMatching(/^\d+%$/),
      MemoryMax: expect.stringMatching(/^\d+%$/),
      TasksMax: expect.stringMatching(/^\d+$/),
      NoNewPrivileges: 'true',
      CapabilityBoundingSet: '',
      ProtectSystem: 'strict',
    });
    const percent = (name: string) => Number.parseInt(settings.get(name) ?? '', 10);
    expect(percent('MemoryHigh')).toBeLessThan(percent('MemoryMax'));
  });

  it('are there for every service of compose.yaml', async () => {
    const services =
      (await read('compose.yaml'))
        .split(/^volumes:$/m)[0]
        ?.split(/^ {2}(?=\w+:$)/m)
        .slice(1) ?? [];
    expect(services.map((service) => service.split(':')[0])).toEqual(['database', 'keyrank']);
    for (const service of services) {
      expect(service).toMatch(/^ {4}mem_limit: \d+g$/m);
      expect(service).toMatch(/^ {4}pids_limit: \d+$/m);
      expect(service).toMatch(/^ {4}security_opt: \["no-new-privileges:true"\]$/m);
    }
  });

  it('let nobody else read what the container writes', async () => {
    const entry = /^ENTRYPOINT (.+)$/m.exec(await read('Dockerfile'))?.[1] ?? '';
    const [program = '', ...args] = JSON.parse(entry.replace('exec keyrank', 'exec sh -c umask')) as string[];
    expect((await promisify(execFile)(program, args)).stdout).toBe('0077\n');
    expect(await read('Dockerfile')).toContain('install -d -m 0700 -o node -g node /data');
  });
});

describe('the container', () => {
  it.each(['Dockerfile', 'compose.yaml'])('is made of images of one exact version: %s', async (path) => {
    const images = [...(await read(path)).matchAll(/^(?:FROM| {4}image:) (\S+)/gm)].map(([, image]) => image);
    expect(images.length).toBeGreaterThan(0);
    for (const image of images) expect(image).toMatch(/^[a-z]+:\d+\.\d+(?:\.\d+)?-[a-z-]+(?:@sha256:[0-9a-f]{64})?$/);
  });

  it('copies files that are there', async () => {
    const copied = [...(await read('Dockerfile')).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' '),
    );
    expect(copied).toEqual(expect.arrayContaining(['package-lock.json', 'src', 'demo', 'web', 'scripts']));
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
