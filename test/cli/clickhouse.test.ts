import { describe, expect, it } from 'vitest';
import { runKeyrank } from '../support/process.ts';

describe('keyrank clickhouse migrate', () => {
  it('says which node does not answer', async () => {
    // Nobody listens there.
    const result = await runKeyrank(['clickhouse', 'migrate'], { CLICKHOUSE_URL: 'http://127.0.0.1:1/keyrank' });
    expect(result).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        'error: A part of the data cannot be reached at the moment.',
        'connect ECONNREFUSED 127.0.0.1:1',
        'Try again shortly.',
        '',
      ].join('\n'),
    });
  });

  it('asks for the addresses of the nodes', async () => {
    const { code, stderr } = await runKeyrank(['clickhouse', 'migrate']);
    expect([code, stderr]).toEqual([1, 'error: No ClickHouse is named.\nName every node in CLICKHOUSE_URL.\n']);
  });
});
