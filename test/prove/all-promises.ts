// Every promise is a test of its own, so that a broken one does not end the trial of the others. scripts/prove.mjs starts
// this file, says what is wanted of it and prints what it finds.
import { describe, expect, inject, it } from 'vitest';
import { AREAS } from './areas.ts';
import type { Finding } from './promised.ts';

declare module 'vitest' {
  interface ProvidedContext {
    trial: { readonly seed: number; readonly quick: boolean; readonly only: readonly string[] };
  }
  interface TaskMeta {
    goal?: string;
    finding?: Finding;
  }
}

const { seed, quick, only } = inject('trial');

for (const [area, promises] of Object.entries(AREAS)) {
  const wanted = promises.filter(
    ({ name }) => only.length === 0 || only.some((part) => `${area} ${name}`.includes(part)),
  );
  describe.runIf(wanted.length > 0)(area, () => {
    for (const { name, goal, run } of wanted) {
      it(name, { meta: { goal } }, async ({ task }) => {
        const report = (text: string) => process.stderr.write(`  ${area}: ${text}\n`);
        task.meta.finding = await run({ seed, quick, report });
        expect(task.meta.finding.kept, task.meta.finding.figure).toBe(true);
      });
    }
  });
}
