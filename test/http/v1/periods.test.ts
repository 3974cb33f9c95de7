import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainReport } from '../../support/publications.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey();
});
afterAll(() => service[Symbol.asyncDispose]());

function report(period: string): string {
  return plainReport({ frequency: 'monthly', period }, { 'yoga mat': 3, kettle: 1 });
}

async function ask(path: string) {
  return (await service.request(path, { key })).json;
}

describe('200', () => {
  it('has no period and no marketplace while nothing is published', async () => {
    expect(await ask('/v1/periods')).toEqual({ data: [], marketplace: 'US', marketplaces: [], error: null });
  });

  it('lists the periods of one marketplace, newest first, and names all that have data', async () => {
    await service.publish('US_one.csv', report('12-2025'));
    await service.publish('US_two.csv', report('01-2026'));
    await service.publish('DE_one.csv', report('12-2025'));
    const american = await ask('/v1/periods');
    expect(american).toMatchObject({ marketplace: 'US', marketplaces: ['DE', 'US'], error: null });
    expect(american.data.map((each: { period: string }) => each.period)).toEqual(['01-2026', '12-2025']);
    expect(await ask('/v1/periods?marketplace=de')).toEqual({
      data: [
        {
          type: 'monthly',
          period: '12-2025',
          start_date: '2025-12-01',
          end_date: '2025-12-31',
          keywords: 2,
          data_points: 2,
          published_at: expect.stringMatching(/Z$/),
          revision: 1,
          source: 'search',
          origin: 'file',
        },
      ],
      marketplace: 'DE',
      marketplaces: ['DE', 'US'],
      error: null,
    });
  });
});

describe('400', () => {
  it('names the marketplaces that have data', async () => {
    expect((await ask('/v1/periods?marketplace=FR')).error).toMatchObject({
      code: 'INVALID_PARAMETERS',
      hint: 'There is data for DE, US.',
    });
  });
});
