// Publishing to ClickHouse is all or nothing, whatever dies: the import itself, or a node of the cluster. Fifty kills of each kind are
// a promise of npm run prove.
import { describe, expect, it } from 'vitest';
import { NO_CLICKHOUSE } from '../support/clickhouse.ts';
import { openKilledNodes } from './killed-nodes.ts';
import { openKilledPublishing } from './killed-publishing.ts';

const KILLS = 6;

describe.skipIf(NO_CLICKHOUSE)(`publishing to ClickHouse (${NO_CLICKHOUSE ?? 'two nodes'})`, () => {
  it(`shows one whole version, and leaves nothing behind, when it is killed ${KILLS} times`, async () => {
    await using publishing = await openKilledPublishing();
    const seen: string[] = [];
    // From before the first statement to behind the last.
    for (let i = 0; i < KILLS; i += 1) seen.push(await publishing.kill(0.3 + (0.8 * i) / KILLS));
    expect(seen).toContain('before');
  }, 900_000);
});

describe.skipIf(NO_CLICKHOUSE || process.env.KEYRANK_TEST_CLICKHOUSE_URL)('a node of ClickHouse that dies', () => {
  it('never makes an answer partial: it is whole, or a 503 that says when to come again', async () => {
    await using nodes = await openKilledNodes();
    for (let node = 0; node < nodes.nodeCount; node += 1) expect(await nodes.killWhileSearched(node)).toEqual([]);
  }, 600_000);

  it('never leaves a part of what was being published', async () => {
    await using nodes = await openKilledNodes();
    const outcomes: string[] = [];
    for (const [i, afterMs] of [0, 300, 600].entries()) {
      outcomes.push(await nodes.killWhilePublishing(i % nodes.nodeCount, afterMs));
    }
    expect(outcomes).toContain('before');
  }, 600_000);
});
