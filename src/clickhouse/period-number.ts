import type { Frequency, Period } from '../domain/period.ts';

/** As tables have them: they sort as periods of one frequency do. */
export function periodNumber({ year, number }: Period): number {
  return year * 100 + number;
}

export function periodOf(value: number, frequency: Frequency): Period {
  return { frequency, year: Math.floor(value / 100), number: value % 100 };
}
