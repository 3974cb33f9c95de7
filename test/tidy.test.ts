// The rules of the house that no linter knows: which folder may import which, how files are named, how long they may be.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 70;

/**
 * Every folder of src/, and every file that stands in it by itself, from the ground up: what each may import beside itself. Everything may
 * import domain. No arrow leads up. docs/architecture.md has the same arrows in words.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  logger: [],
  'process-guard': [],
  'resource-stack': [],
  version: [],
  postgres: [],
  export: [],
  mcp: [],
  watch: [],
  amazon: [],
  uploads: [],
  mail: [],
  snapshot: ['export', 'postgres'],
  ingest: ['snapshot', 'postgres'],
  storage: [],
  openid: [],
  clickhouse: ['ingest', 'snapshot'],
  config: ['ingest', 'mail', 'storage', 'openid', 'clickhouse', 'uploads'],
  backup: ['ingest', 'postgres'],
  http: ['export', 'mcp'],
  boot: [
    ...['config', 'logger', 'process-guard', 'resource-stack', 'version'],
    ...[
      'postgres',
      'ingest',
      'snapshot',
      'clickhouse',
      'storage',
      'export',
      'watch',
      'amazon',
      'mail',
      'openid',
      'uploads',
      'http',
    ],
  ],
  cli: [
    ...[
      'boot',
      'config',
      'resource-stack',
      'version',
      'postgres',
      'ingest',
      'backup',
      'snapshot',
      'clickhouse',
      'storage',
    ],
    ...['mcp', 'watch', 'amazon', 'mail', 'http'],
  ],
};

/** The rooms of the engine, from the ground up; what stands in the folder itself is on top. */
const ENGINE_FLOORS = ['manifest', 'format', 'build', 'query', 'trends', 'holders', 'threads', ''];

/** All that the page has of the SDK: what the API's answers look like. */
const GENERATED_TYPES = 'sdk/src/generated/types.gen.ts';

const DRAWER_NAMES = /^(utils?|helpers?|common|shared|lib|misc|types|constants|index|manager|service)$/;

interface SourceFile {
  readonly path: string;
  /** The folder below src/, or the file's own name for files that stand directly in it. */
  readonly room: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources = listFiles('src');
const files = sources.filter((path) => !path.endsWith('.test.ts')).map(readSource);
const webFiles = listFiles('web').map(readSource);
const sdkFiles = listFiles('sdk/src')
  .filter((path) => !path.startsWith('sdk/src/generated/'))
  .map(readSource);
const demoFiles = listFiles('demo')
  .filter((path) => !path.endsWith('.test.ts'))
  .map(readSource);
const benchFiles = listFiles('bench')
  .filter((path) => !path.endsWith('.test.ts'))
  .map(readSource);
const tests = [...sources.filter((path) => path.endsWith('.test.ts')), ...listFiles('test')];

describe('the house', () => {
  it('was looked at as a whole', () => {
    // The compiler's own list of files, found by another way.
    const compiler = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
    const compiled = execFileSync(process.execPath, [compiler, '--listFilesOnly', '-p', join(ROOT, 'tsconfig.json')])
      .toString()
      .split('\n')
      .map((path) => relative(ROOT, path))
      .filter((path) => path.startsWith('src/'));
    expect(sources.toSorted()).toEqual(compiled.toSorted());
    expect(files.length).toBeGreaterThan(150);
    const imported = files.flatMap((file) => file.imports);
    expect(imported.length).toBeGreaterThan(500);
    // Whatever is imported was looked at too.
    const known = new Set([...files, ...demoFiles].map((file) => file.path));
    expect(imported.filter((path) => !known.has(path))).toEqual([]);
  });

  it('has no folder without arrows, and no arrow that leads up', () => {
    const rooms = Object.keys(ARROWS);
    expect(files.filter(({ room }) => !rooms.includes(room)).map(({ path }) => path)).toEqual([]);
    const upward = Object.entries(ARROWS).flatMap(([room, allowed]) =>
      allowed.filter((other) => rooms.indexOf(other) < 0 || rooms.indexOf(other) >= rooms.indexOf(room)),
    );
    expect(upward).toEqual([]);
  });

  it.each(files.map((file) => [file.path, file] as const))('%s imports only where arrows lead', (_path, file) => {
    const rooms = file.imports
      .filter((path) => path.startsWith('src/'))
      .map(roomOf)
      .filter((room) => room !== 'domain' && room !== file.room);
    expect(rooms.filter((room) => !(ARROWS[file.room] ?? []).includes(room))).toEqual([]);
  });

  it('keeps to the floors of the engine', () => {
    const engine = files.filter(({ room }) => room === 'snapshot');
    expect([...new Set(engine.map(({ path }) => engineRoomOf(path)))].sort()).toEqual(ENGINE_FLOORS.toSorted());
    const floorOf = (path: string) => ENGINE_FLOORS.indexOf(engineRoomOf(path));
    const upward = engine.flatMap(({ path, imports }) =>
      imports
        .filter((other) => roomOf(other) === 'snapshot' && floorOf(other) > floorOf(path))
        .map((other) => `${path}: ${other}`),
    );
    expect(upward).toEqual([]);
  });

  it('has no files that import each other in a circle, types included', () => {
    const circles = listCircles([...files, ...webFiles, ...sdkFiles, ...benchFiles]);
    expect(circles).toEqual([]);
    // It finds them where there are some.
    const planted = ['a b', 'b c', 'c a', 'd a'].map((pair) => {
      const [path = '', imported = ''] = pair.split(' ');
      return { path, imports: [imported] };
    });
    expect(listCircles(planted)).toEqual(['a b c']);
  });

  it('keeps the manifest of files to the engine that has files, and to what starts it', () => {
    const isOfEngine = (path: string) =>
      /^src\/(snapshot|clickhouse|ingest\/publish)\/|^src\/boot\/served-data\.ts$/.test(path);
    const readers = files.filter(({ imports }) => imports.some((path) => path.startsWith('src/snapshot/manifest/')));
    expect(readers.length).toBeGreaterThan(5);
    expect(readers.filter(({ path }) => !isOfEngine(path)).map(({ path }) => path)).toEqual([]);
  });

  it('lets backups see the files of an engine through its publisher alone', () => {
    const seen = files.filter(({ room }) => room === 'backup').flatMap(({ imports }) => imports);
    const engine = seen.filter((path) => /^src\/(snapshot|ingest)\//.test(path));
    expect([...new Set(engine)]).toEqual(['src/ingest/publish/durable-file.ts']);
  });

  it('lets the page see the API and nothing of the service behind it', () => {
    expect(webFiles.length).toBeGreaterThan(40);
    const outside = webFiles.flatMap(({ path, imports }) =>
      imports.filter((imported) => !imported.startsWith('web/')).map((imported) => `${path}: ${imported}`),
    );
    expect(outside).toEqual([`web/api/wire.ts: ${GENERATED_TYPES}`]);
    const wire = webFiles.find(({ path }) => path === 'web/api/wire.ts')?.text ?? '';
    expect(wire).not.toMatch(/^import (?!type )/m);
  });

  it('lets the SDK see itself alone, without Node and packages', () => {
    expect(sdkFiles.length).toBeGreaterThan(5);
    const named = sdkFiles.flatMap(({ path, text }) =>
      [...text.matchAll(/from '([^']+)'/g)].map((match) => `${path}: ${match[1]}`),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((line) => !/: \.\/[^.]/.test(line))).toEqual([]);
  });

  it('installs nothing of the benchmarks', () => {
    expect(benchFiles.length).toBeGreaterThan(30);
    const outward = [...files, ...demoFiles].filter(({ imports }) =>
      imports.some((path) => !path.startsWith('src/') && !path.startsWith('demo/')),
    );
    expect(outward.map(({ path }) => path)).toEqual([]);
  });

  it('knows the demo generator by its types alone until a command asks for it, and lets it see the domain', () => {
    expect(demoFiles.length).toBeGreaterThan(25);
    const loading = files.filter(({ text }) =>
      /import (?!type )[^;(]*from '[^']*\/demo\/|import '[^']*\/demo\//.test(text),
    );
    expect(loading.map(({ path }) => path)).toEqual([]);
    const asking = files.filter(({ text }) => text.includes("import('../../demo/"));
    expect(asking.map(({ path }) => path)).toEqual(['src/cli/demo-data.ts', 'src/cli/demo.ts']);
    const seen = demoFiles.flatMap(({ imports }) => imports).filter((path) => !path.startsWith('demo/'));
    expect(seen.filter((path) => !path.startsWith('src/domain/'))).toEqual([]);
  });

  it('keeps the domain free of Node and of packages', () => {
    const outside = files
      .filter((file) => file.room === 'domain')
      .flatMap((file) => [...file.text.matchAll(/from '([^.'][^']*)'/g)].map((match) => `${file.path}: ${match[1]}`));
    expect(outside).toEqual([]);
  });

  it('reads the environment in one place', () => {
    const readers = files
      .filter(({ text, room }) => /process\.env/.test(text) && room !== 'cli')
      .map(({ path }) => path);
    expect(readers).toEqual([]);
  });

  it('names files for what is inside, in kebab-case', () => {
    const names = [
      ...sources,
      ...tests,
      ...[...webFiles, ...sdkFiles, ...demoFiles, ...benchFiles].map(({ path }) => path),
    ].map(
      (path) =>
        path
          .split('/')
          .at(-1)
          ?.replace(/(\.test)?\.[a-z]+$/, '') ?? '',
    );
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
    expect(
      [...files, ...webFiles, ...sdkFiles, ...demoFiles, ...benchFiles]
        .map(
          ({ path }) =>
            path
              .split('/')
              .at(-1)
              ?.replace(/\.tsx?$/, '') ?? '',
        )
        .filter((name) => DRAWER_NAMES.test(name)),
    ).toEqual([]);
  });

  it(`has no file above ${MAX_FILE_LINES} lines and no function above ${MAX_FUNCTION_LINES}`, () => {
    // What is made from the code is as long as the code has things to say.
    const all = [...files, ...webFiles, ...sdkFiles, ...demoFiles, ...benchFiles].filter(
      ({ text }) => !text.startsWith('// Made by npm run reference'),
    );
    const long = all.filter(({ text }) => text.split('\n').length > MAX_FILE_LINES).map(({ path }) => path);
    expect(long).toEqual([]);
    expect(all.flatMap(longFunctions)).toEqual([]);
  });

  it('has no skipped or lonely tests', () => {
    const marks = new RegExp(`\\b(it|test|describe)\\.(${['skip', 'todo', 'only'].join('|')})\\b`);
    expect(tests.filter((path) => marks.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
  });
});

/** Each circle as the paths of its files, sorted: every file from which one comes back to it. */
function listCircles(all: readonly Pick<SourceFile, 'path' | 'imports'>[]): readonly string[] {
  const importsOf = new Map(all.map(({ path, imports }) => [path, imports]));
  const reached = new Map(all.map(({ path }) => [path, reachedFrom(path, importsOf)]));
  const circles = all.flatMap(({ path }) => {
    const own = reached.get(path) ?? new Set();
    return own.has(path)
      ? [
          [...own]
            .filter((other) => reached.get(other)?.has(path))
            .sort()
            .join(' '),
        ]
      : [];
  });
  return [...new Set(circles)];
}

function reachedFrom(path: string, importsOf: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>();
  const left = [...(importsOf.get(path) ?? [])];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    left.push(...(importsOf.get(next) ?? []));
  }
  return reached;
}

/** Top-level functions and methods begin at a known indent and end where a brace stands at the same one. */
function longFunctions({ path, text }: SourceFile): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, start) => {
    const opening = /^( {0,2})(?:export )?(?:static )?(?:async )?(?:function\*? |#?[a-z]\w*\()[^;]*\{$/.exec(line);
    if (!opening) return [];
    const length = lines.slice(start).indexOf(`${opening[1]}}`);
    return length > MAX_FUNCTION_LINES ? [`${path}:${start + 1} (${length} lines)`] : [];
  });
}

function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    relative(ROOT, resolve(ROOT, dirname(path), match[1] ?? '')),
  );
  return { path, room: roomOf(path), text, imports };
}

function engineRoomOf(path: string): string {
  const [, , room = '', file] = path.split('/');
  return file === undefined ? '' : room;
}

function roomOf(path: string): string {
  const [, room = ''] = path.split('/');
  return room.replace(/\.ts$/, '');
}
