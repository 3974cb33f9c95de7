import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openTemporaryDirectory } from './temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMPILER = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
const run = promisify(execFile);

export interface SdkUser extends AsyncDisposable {
  readonly path: string;
  /** Compiles these files with types of Node; says what is wrong with them, and nothing if they are right. */
  compile(files: Readonly<Record<string, string>>, options?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Runs what was compiled of a file. */
  run(file: string, settings: Readonly<Record<string, string>>): Promise<{ readonly stdout: string }>;
}

/** A folder with nothing in it but the SDK, packed and installed as its users do. */
export async function openSdkUser(): Promise<SdkUser> {
  const directory = await openTemporaryDirectory();
  const { path } = directory;
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', path];
  const [packed] = JSON.parse((await run('npm', pack, { cwd: join(ROOT, 'sdk') })).stdout) as [{ filename: string }];
  await writeFile(join(path, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`], { cwd: path });
  return {
    path,
    compile: async (files, options = {}) => {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(path, name)), { recursive: true });
        await writeFile(join(path, name), text);
      }
      const compilerOptions = { ...USER_OPTIONS, ...options, rootDir: '.', outDir: 'compiled' };
      await writeFile(join(path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
      const compiling = run(process.execPath, [COMPILER, '-p', path]);
      return (await compiling.catch((failed: { stdout: string }) => failed)).stdout;
    },
    run: (file, settings) =>
      run(process.execPath, [join(path, 'compiled', file.replace(/\.ts$/, '.js'))], {
        cwd: path,
        env: { PATH: process.env.PATH, ...settings },
      }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** As strict as can be, and with declarations looked at too. */
const USER_OPTIONS = {
  target: 'ES2022',
  lib: ['ES2023'],
  module: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  typeRoots: [join(ROOT, 'node_modules/@types')],
  types: ['node'],
};
