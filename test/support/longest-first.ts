import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of more than a minute, the longest first: one that began near the end would keep everything waiting. */
const LONG_FILES = [
  'test/ingest/kill.test.ts',
  'test/web/views.test.ts',
  'test/watch/kill.test.ts',
  'test/web/copy-as.test.ts',
  'test/store/trends-equal-oracle.test.ts',
  'test/store/metamorphic.test.ts',
  'test/cli/serve.test.ts',
];

/** The long files first, and the rest as vitest would have it. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const long = LONG_FILES.flatMap((path) => sorted.filter(({ moduleId }) => moduleId.endsWith(`/${path}`)));
    return [...long, ...sorted.filter((file) => !long.includes(file))];
  }
}
