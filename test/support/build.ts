import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests that start whole processes run the compiled program, the benches or the packed SDK, so all are built once before all of them. */
export default function build(): void {
  for (const script of ['build.mjs', 'build-sdk.mjs', 'build-bench.mjs']) {
    execFileSync(process.execPath, [fileURLToPath(new URL(`../../scripts/${script}`, import.meta.url))], {
      stdio: 'inherit',
    });
  }
}
