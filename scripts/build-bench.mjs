// npm run bench: compiles bench/ with the src/ that it measures into dist-bench/, and runs it.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'dist-bench');
const compiler = join(dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json')), 'bin', 'tsc');

rmSync(target, { recursive: true, force: true });
const options = ['-p', join(root, 'bench'), '--outDir', target, '--noCheck'];
const { status } = spawnSync(process.execPath, [compiler, ...options], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
cpSync(join(root, 'package.json'), join(target, 'package.json'));
// What is not compiled, as the service has it.
cpSync(join(root, 'bench/peers/lucene'), join(target, 'bench/peers/lucene'), { recursive: true });
cpSync(join(root, 'demo/vocabulary'), join(target, 'demo/vocabulary'), { recursive: true });
for (const path of ['web', 'postgres/migrations', 'http/recorded-answers.json']) {
  cpSync(join(root, 'dist', path), join(target, 'src', path), { recursive: true });
}
