// The rules of the house that no linter knows: which folder may import which, how files are named, how long they may be.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 70;

/** What each folder of src/ may import beside itself; everything may import domain. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  postgres: [],
  snapshot: ['export', 'postgres'],
  export: [],
  demo: [],
  ingest: ['snapshot', 'postgres'],
  http: ['export', 'mcp'],
  backup: ['ingest', 'postgres'],
  mcp: [],
  watch: [],
  cli: [
    'boot',
    'config',
    'version',
    'resource-stack',
    'postgres',
    'ingest',
    'backup',
    'snapshot',
    'demo',
    'export',
    'mcp',
    'watch',
    'http',
    'logger',
  ],
};

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
    const known = new Set(files.map((file) => file.path));
    expect(imported.filter((path) => !known.has(path))).toEqual([]);
  });

  it.each(files.map((file) => [file.path, file] as const))('%s imports only where arrows lead', (_path, file) => {
    const allowed = ARROWS[file.room];
    if (!allowed) return;
    const rooms = file.imports.map(roomOf).filter((room) => room !== 'domain' && room !== file.room);
    expect(rooms.filter((room) => !allowed.includes(room))).toEqual([]);
  });

  it('has no files that import each other in a circle, types included', () => {
    expect(findCircles(files)).toEqual([]);
    const circle = [sourceOf('a', ['b']), sourceOf('b', ['c']), sourceOf('c', ['a', 'd']), sourceOf('d', [])];
    expect(findCircles(circle)).toEqual(['a → b → c → a']);
  });

  it('keeps the manifest of files to the engine that has files, and to what starts it', () => {
    const isOfEngine = (path: string) => /^src\/(snapshot|ingest\/publish)\/|^src\/boot\/served-data\.ts$/.test(path);
    const readers = files.filter(({ imports }) => imports.some((path) => path.startsWith('src/snapshot/manifest/')));
    expect(readers.length).toBeGreaterThan(5);
    expect(readers.filter(({ path }) => !isOfEngine(path)).map(({ path }) => path)).toEqual([]);
  });

  it('lets the page see the API and nothing of the service behind it', () => {
    expect(webFiles.length).toBeGreaterThan(40);
    const outside = webFiles.flatMap(({ path, imports }) =>
      imports.filter((imported) => !imported.startsWith('web/')).map((imported) => `${path}: ${imported}`),
    );
    expect(outside).toEqual([]);
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
    const outward = files.filter(({ imports }) => imports.some((path) => !path.startsWith('src/')));
    expect(outward.map(({ path }) => path)).toEqual([]);
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
    const names = [...sources, ...tests, ...[...webFiles, ...sdkFiles, ...benchFiles].map(({ path }) => path)].map(
      (path) =>
        path
          .split('/')
          .at(-1)
          ?.replace(/(\.test)?\.[a-z]+$/, '') ?? '',
    );
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
    expect(
      [...files, ...webFiles, ...sdkFiles, ...benchFiles]
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
    const all = [...files, ...webFiles, ...sdkFiles, ...benchFiles];
    const long = all.filter(({ text }) => text.split('\n').length > MAX_FILE_LINES).map(({ path }) => path);
    expect(long).toEqual([]);
    expect(all.flatMap(longFunctions)).toEqual([]);
  });

  it('has no skipped or lonely tests', () => {
    const marks = new RegExp(`\\b(it|test|describe)\\.(${['skip', 'todo', 'only'].join('|')})\\b`);
    expect(tests.filter((path) => marks.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
  });
});

/** The first circle found from each file that begins one, as the way around it. */
function findCircles(sources: readonly SourceFile[]): readonly string[] {
  const importsOf = new Map(sources.map(({ path, imports }) => [path, imports]));
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) circles.push([...way.slice(start), path].join(' → '));
    if (start >= 0 || finished.has(path)) return;
    for (const imported of importsOf.get(path) ?? []) visit(imported, [...way, path]);
    finished.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return circles;
}

function sourceOf(path: string, imports: readonly string[]): SourceFile {
  return { path, room: '', text: '', imports };
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
  const imports = [...text.matchAll(/(?:from|import) '(\.[^']+)'/g)].map((match) =>
    relative(ROOT, resolve(ROOT, dirname(path), match[1] ?? '')),
  );
  return { path, room: roomOf(path), text, imports };
}

function roomOf(path: string): string {
  const [, room = ''] = path.split('/');
  return room.replace(/\.ts$/, '');
}
