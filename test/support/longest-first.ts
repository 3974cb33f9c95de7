import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of more than a minute, the longest first: one that began near the end would keep everything waiting. */
const LONG_FILES = [
  'test/web/views.test.ts',
  'test/bench.test.ts',
  'test/storage/stored-publishing.test.ts',
  'test/cli/serve.test.ts',
  'test/watch/kill.test.ts',
  'test/store/seasons-equal-oracle.test.ts',
  'test/store/holders-equal-oracle.test.ts',
  'test/store/engine-equals-oracle.test.ts',
  'test/store/metamorphic.test.ts',
  'test/store/seasons.test.ts',
  'test/web/reference.test.ts',
  'test/ingest/kill.test.ts',
  'test/web/search-view.test.ts',
  'test/http/all-endpoints.test.ts',
  'test/postgres/embedded-lifetime.test.ts',
];

/** The long files first, and the rest as vitest would have it. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const long = LONG_FILES.flatMap((path) => sorted.filter(({ moduleId }) => moduleId.endsWith(`/${path}`)));
    return [...long, ...sorted.filter((file) => !long.includes(file))];
  }
}
