import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'demo/**/*.test.ts', 'bench/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts', 'test/support/cluster.ts'],
    // On two cores vitest would take one file after the other, and most of them wait for processes and disks.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Loading the service takes seconds, and most files need it. Whoever changes what belongs to the process puts it back.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a busy machine what is waited for takes its time.
    expect: { poll: { timeout: 60_000 } },
  },
});
