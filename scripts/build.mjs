// Compiles src/ and demo/ into dist/ and puts what is not compiled (the SQL migrations, the recorded answers, the words of the demo, the page)
// beside it. A dist/ that is newer than its sources is left alone, and a new one takes its place in one step: a service that runs from it must not lose its files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'dist');
const stamp = join(target, '.built');
const building = join(root, `dist.new-${process.pid}`);
const replaced = join(root, `dist.old-${process.pid}`);

if (!isFresh()) await build();

function isFresh() {
  if (!existsSync(stamp)) return false;
  const builtMs = statSync(stamp).mtimeMs;
  const folders = ['src', 'demo', 'web', 'scripts'];
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
  );
  const inputs = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', ...folders, ...sources];
  return inputs.every((path) => statSync(join(root, path)).mtimeMs < builtMs);
}

async function build() {
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json')),
    'bin',
    'tsc',
  );
  // Types are a matter of `npm run types`; whoever starts the service need not wait for that.
  const options = ['-p', join(root, 'tsconfig.build.json'), '--outDir', building, '--noCheck'];
  const compiling = once(spawn(process.execPath, [compiler, ...options], { stdio: 'inherit' }), 'exit');
  // Loaded here, because a build that is fresh should not wait for a bundler; beside the compiler, because each has a core.
  const { buildWeb } = await import('./build-web.mjs');
  const bundling = buildWeb({ root, outDir: join(building, 'web') });
  const [[status]] = await Promise.all([compiling, bundling]);
  if (status !== 0) {
    rmSync(building, { recursive: true, force: true });
    process.exit(status ?? 1);
  }
  mergeFolders();
  cpSync(join(root, 'demo/vocabulary'), join(building, 'demo/vocabulary'), { recursive: true });
  cpSync(join(root, 'src/postgres/migrations'), join(building, 'postgres/migrations'), { recursive: true });
  cpSync(join(root, 'src/http/recorded-answers.json'), join(building, 'http/recorded-answers.json'));
  chmodSync(join(building, 'cli/main.js'), 0o755);
  writeFileSync(join(building, '.built'), '');
  if (existsSync(target)) renameSync(target, replaced);
  renameSync(building, target);
  rmSync(replaced, { recursive: true, force: true });
}

/** In dist/ the demo stands among the folders of src/, so that the program is where it was before the demo left src/. */
function mergeFolders() {
  const sources = join(building, 'src');
  for (const name of readdirSync(sources)) renameSync(join(sources, name), join(building, name));
  rmdirSync(sources);
  for (const { folder, from, to } of [
    { folder: 'cli', from: "'../../demo/", to: "'../demo/" },
    { folder: 'demo', from: "'../src/", to: "'../" },
  ]) {
    for (const name of readdirSync(join(building, folder))) {
      const path = join(building, folder, name);
      const text = readFileSync(path, 'utf8');
      if (text.includes(from)) writeFileSync(path, text.replaceAll(from, to));
    }
  }
}
