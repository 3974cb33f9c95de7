import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts', 'test/support/cluster.ts'],
    testTimeout: 60_000,
    // Many tests start whole processes and share few cores. One that fails is run once more, and reported as retried.
    retry: 1,
    hookTimeout: 120_000,
  },
});
