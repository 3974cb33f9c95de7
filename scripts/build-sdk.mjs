// Compiles sdk/src into sdk/dist, which is what its package holds. Not part of `npm run build`: the service does not need it.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sdk = join(dirname(fileURLToPath(import.meta.url)), '../sdk');
const outDir = join(sdk, 'dist');
const compiler = join(dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json')), 'bin', 'tsc');
const options = [
  '--noEmit',
  'false',
  '--rewriteRelativeImportExtensions',
  '--declaration',
  '--rootDir',
  join(sdk, 'src'),
];

// What was renamed or removed must not be packed.
rmSync(outDir, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler, '-p', sdk, ...options, '--outDir', outDir], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
