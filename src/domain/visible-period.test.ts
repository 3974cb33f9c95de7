import { describe, expect, it } from 'vitest';
import { RequestError } from './error.ts';
import type { Period } from './period.ts';
import { parseVisiblePeriod } from './visible-period.ts';

function month(number: number): Period {
  return { frequency: 'monthly', year: 2026, number };
}

const OPTIONS = {
  parameter: 'period',
  frequency: 'monthly',
  window: [month(3), month(4), month(6)],
  otherwise: 'leave it out',
} as const;

function faultOf(key: string, options: Partial<Parameters<typeof parseVisiblePeriod>[1]> = {}) {
  try {
    return parseVisiblePeriod(key, { ...OPTIONS, ...options });
  } catch (error) {
    expect(error).toBeInstanceOf(RequestError);
    const { code, message, hint } = error as RequestError;
    return { code, message, hint };
  }
}

describe('a period that a caller names', () => {
  it.each(['03-2026', '04-2026', '05-2026', '6-2026'])(
    'may be the oldest, the newest and anything between: %s',
    (key) => {
      expect(parseVisiblePeriod(key, OPTIONS)).toEqual(month(Number.parseInt(key, 10)));
    },
  );

  it.each(['02-2026', '07-2026', '06-2025'])('is refused outside the window, with what is inside: %s', (key) => {
    expect(faultOf(key)).toEqual({
      code: 'INVALID_PARAMETERS',
      message: `Parameter 'period' names the period '${key}', which is outside the periods that your plan can see.`,
      hint: 'Use a monthly period from 03-2026 to 06-2026.',
    });
  });

  it('is refused when there is no such period', () => {
    expect(faultOf('13-2026')).toEqual({
      code: 'INVALID_PARAMETERS',
      message: "Parameter 'period' names the period '13-2026', which is not a monthly period.",
      hint: 'Use a monthly period from 03-2026 to 06-2026.',
    });
  });

  it('is refused while nothing is published, with what to do instead', () => {
    expect(faultOf('03-2026', { window: [] })).toEqual({
      code: 'INVALID_PARAMETERS',
      message: "Parameter 'period' names the period '03-2026', which is outside the periods that your plan can see.",
      hint: 'No monthly period is published yet; leave it out.',
    });
  });

  it('may be the only one', () => {
    expect(parseVisiblePeriod('03-2026', { ...OPTIONS, window: [month(3)] })).toEqual(month(3));
  });
});
