// What is mutated, and by which tests: those that reach the code of an area within the test's own process. Tests of the compiled program
// see no mutants.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} Area
 * @property {string} name
 * @property {readonly string[]} files
 * @property {readonly string[]} [functions] functions of the migrations, in their newest definition
 * @property {readonly string[]} [tables] constants whose entries are names that a test could only repeat: the table is mutated as a whole
 * @property {readonly string[]} tests the quick ones first
 * @property {readonly string[]} [setup] vitest's global setup
 */

const CLUSTER = ['test/support/cluster.ts'];

/** @param {string} root @returns {readonly Area[]} */
export function listAreas(root) {
  const list = (folder, isWanted) =>
    readdirSync(join(root, folder))
      .sort()
      .filter((name) => name.endsWith('.ts') && isWanted(name))
      .map((name) => `${folder}/${name}`);
  const isTest = (name) => name.endsWith('.test.ts');
  return [
    {
      name: 'domain',
      files: list('src/domain', (name) => !isTest(name)),
      tables: ['AMAZON_SHOPS', 'STORED_NAMES_BY_BUCKET', 'LETTER_BY_LIGATURE'],
      tests: list('src/domain', isTest),
    },
    {
      name: 'admission',
      files: [
        'src/http/admission.ts',
        'src/postgres/admission-queue.ts',
        'src/postgres/rate-log.ts',
        'src/postgres/known-refusals.ts',
        'src/postgres/export-leases.ts',
      ],
      functions: ['active_limit', 'admit_searches', 'admit_together', 'rate_state', 'read_rate_limit', 'begin_export'],
      tests: [
        'src/http/admission.test.ts',
        'test/postgres/rate-functions.test.ts',
        'test/postgres/known-refusals.test.ts',
        'test/postgres/export-leases.test.ts',
        'test/postgres/admission-batches.test.ts',
        'test/postgres/admission-together.test.ts',
        'test/postgres/clock-jump.test.ts',
      ],
      setup: CLUSTER,
    },
    {
      name: 'publishing',
      files: [
        'src/snapshot/manifest/manifest.ts',
        'src/snapshot/manifest/manifest-rows.ts',
        'src/postgres/publications.ts',
        'src/postgres/import-lock.ts',
        'src/ingest/publish/file-batch.ts',
        'src/ingest/publish/durable-file.ts',
        'src/ingest/publish/verified-files.ts',
      ],
      tests: [
        'src/snapshot/manifest/manifest.test.ts',
        'test/ingest/durable-file.test.ts',
        'test/prove/simulation/disk.test.ts',
        'test/postgres/manifest.test.ts',
        'test/postgres/publications.test.ts',
        'test/watch/set-aside.test.ts',
        'test/postgres/import-lock.test.ts',
        'test/ingest/file-batch.test.ts',
      ],
      setup: CLUSTER,
    },
    {
      name: 'webhooks',
      files: [
        ...list('src/watch', (name) => !isTest(name)),
        'src/postgres/webhook-deliveries.ts',
        'src/postgres/webhooks.ts',
      ],
      functions: ['webhook_pause'],
      tests: [
        ...list('src/watch', isTest),
        'test/watch/webhook-sender.test.ts',
        'test/postgres/webhooks.test.ts',
        'test/postgres/webhook-deliveries.test.ts',
        'test/postgres/queued-messages.test.ts',
        'test/watch/delivery-worker.test.ts',
        'test/watch/publication-worker.test.ts',
        'test/watch/hostile-receivers.test.ts',
      ],
      setup: CLUSTER,
    },
  ];
}
