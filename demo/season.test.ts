import { describe, expect, it } from 'vitest';
import { SEASONS, seasonNumber, seasonOnDay, seasonsInSpan } from './season.ts';

const monthOf = (number: number) => ({ startMs: Date.UTC(2026, number - 1, 1), endMs: Date.UTC(2026, number, 0) });

describe('seasons', () => {
  it.each([
    ['halloween', 10],
    ['christmas', 12],
    ['gift', 12],
    ['school', 8],
    ['summer', 6],
    ['fitness', 1],
    ['valentine', 2],
    ['mother', 5],
    ['father', 6],
    ['thanksgiving', 11],
  ])('have %s at its highest in month %i', (name, month) => {
    const heights = Array.from(
      { length: 12 },
      (_, index) => seasonsInSpan(monthOf(index + 1))[seasonNumber(name)] ?? 0,
    );
    expect(heights.indexOf(Math.max(...heights)) + 1).toBe(month);
  });

  it('reach over the turn of the year', () => {
    const curve = SEASONS[seasonNumber('fitness')];
    expect(curve && seasonOnDay(curve, 364)).toBeGreaterThan(curve?.low ?? 0);
  });

  it('leave everything else alone', () => expect(seasonsInSpan(monthOf(12))[0]).toBe(0));
});
