import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/prove/all-promises.ts'],
    globalSetup: ['test/support/build.ts', 'test/support/cluster.ts'],
    disableConsoleIntercept: true,
    // A promise takes as long as it takes; what hangs is seen by whoever waits for it.
    testTimeout: 0,
    hookTimeout: 0,
    teardownTimeout: 60_000,
  },
});
