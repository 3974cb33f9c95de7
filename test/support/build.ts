import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests that start whole processes run the compiled program, so it is built once before all of them. */
export default function build(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))], {
    stdio: 'inherit',
  });
}
