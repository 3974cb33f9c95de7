// A plan of the operator's own, seen by a caller: what it shows follows its numbers, on every server, with the next request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../src/boot.ts';
import type { PeriodLimit } from '../../src/domain/plan.ts';
import { changePlan, createPlan } from '../../src/postgres/plans.ts';
import { COMPILED, sendRequest, startTestService, type TestService, testConfig } from '../support/service.ts';

const WEEKS = 12;
const MONTHS = 30;

let service: TestService;
let other: Awaited<ReturnType<typeof startService>>;
let key: string;
let owner: string;

beforeAll(async () => {
  service = await startTestService();
  await createPlan(service.database.operator, { name: 'own', searchesPerHour: 500, months: 2, weeks: 9 });
  key = await service.makeKey({ subscription: { plan: 'own' } });
  owner = await service.makeKey({ subscription: { plan: 'owner' } });
  const keyOf = (number: number, year: number) => `${String(number).padStart(2, '0')}-${year}`;
  const lines = [
    ...Array.from({ length: WEEKS }, (_, i) => `weekly,${keyOf(i + 1, 2026)}`),
    ...Array.from({ length: MONTHS }, (_, i) => `monthly,${keyOf((i % 12) + 1, 2024 + Math.floor(i / 12))}`),
  ].flatMap((period, i) => [`${period},shoes,${i + 1}`, `${period},shoes ${period.slice(-7)},${100 + i}`]);
  await service.publish('US_ranks.csv', ['period_type,period,search_term,rank', ...lines, ''].join('\n'));
  const config = testConfig(service.database, { KEYRANK_DATA_DIR: service.dataDirectory });
  other = await startService(config, COMPILED);
}, 180_000);
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function shown(url: string, type: 'monthly' | 'weekly', of = key) {
  const found = await sendRequest(`${url}/v1/search/keywords?query=shoes&type=${type}&order_by=best_rank`, { key: of });
  const periods = await sendRequest(`${url}/v1/periods`, { key: of });
  const [best] = found.json.data;
  return {
    total: found.json.pagination.total_count,
    periods: periods.json.data.filter((each: { type: string }) => each.type === type).length,
    best,
  };
}

describe('a plan of the operator', () => {
  it('shows as many months and weeks as it says, at once on every server, and summarizes these alone', async () => {
    const steps: readonly (readonly [PeriodLimit, PeriodLimit])[] = [
      [2, 9],
      [1, 1],
      [25, 7],
      [30, 12],
      [10_000, 12],
      ['all', 'all'],
      [24, 6],
    ];
    for (const [months, weeks] of steps) {
      await changePlan(service.database.operator, 'own', { months, weeks });
      for (const url of [service.url, other.url]) {
        const visible = {
          monthly: Math.min(MONTHS, Number(months) || MONTHS),
          weekly: Math.min(WEEKS, Number(weeks) || WEEKS),
        };
        for (const type of ['monthly', 'weekly'] as const) {
          const { total, periods, best } = await shown(url, type);
          // One keyword is in every period, and one more in each.
          expect([type, total, periods]).toEqual([type, visible[type] + 1, visible[type]]);
          expect(best.search_term).toBe('shoes');
          expect(best.summary).toMatchObject({ total_periods: visible[type] });
        }
      }
    }
  });

  it('that ships for owners shows everything', async () => {
    expect(await shown(other.url, 'weekly', owner)).toMatchObject({ total: WEEKS + 1, periods: WEEKS });
    const usage = await sendRequest(`${other.url}/v1/usage`, { key: owner });
    expect(usage.json.data).toMatchObject({ plan: 'owner', rate_limit: { limit: 10_000 } });
  });
});
