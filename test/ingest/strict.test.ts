// Reports that must be what somebody says they are: of one marketplace, frequency and period.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportJson } from '../amazon/report-json.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
let path: string;
beforeAll(async () => {
  bench = await openWorkbench();
  path = join(bench.reports, 'US_weekly_28-2026.sp-api.json');
  const of = { marketplaceId: 'ATVPDKIKX0DER', start: '2026-07-05', end: '2026-07-11', version: 1, terms: 5 };
  await writeFile(path, reportJson(of));
});
afterAll(() => bench[Symbol.asyncDispose]());

const RIGHT = { marketplace: 'US', frequency: 'weekly', period: '28-2026', isStrict: true } as const;

describe('a strict import', () => {
  it.each([
    [{ ...RIGHT, marketplace: 'CA' }, 'The report is of the marketplace US, not CA.'],
    [{ ...RIGHT, frequency: 'monthly', period: '07-2026' } as const, 'The report is weekly, not monthly.'],
    [{ ...RIGHT, period: '27-2026' }, 'The report is of weekly 28-2026, not 27-2026.'],
  ])('refuses %o', async (flags, message) => {
    const { status, error } = await bench.importOne(path, { flags, isDryRun: true });
    expect([status, error?.message, error?.line]).toEqual(['failed', message, 1]);
  });

  it('takes what is right, and without it believes the operator', async () => {
    const right = await bench.importOne(path, { flags: RIGHT, isDryRun: true });
    expect([right.status, right.periods[0]?.warnings]).toEqual(['done', []]);
    const other = await bench.importOne(path, {
      flags: { ...RIGHT, marketplace: 'CA', isStrict: false },
      isDryRun: true,
    });
    expect(other.periods[0]?.marketplace).toBe('CA');
  });
});
