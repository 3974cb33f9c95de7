import { describe, expect, it } from 'vitest';
import { originOf } from './download.ts';

describe('originOf', () => {
  it('tells fetched periods from imported ones by the name of their file', () => {
    expect(['US_weekly_28-2026.sp-api.json', 'US_Top_Search_Terms.csv'].map(originOf)).toEqual(['amazon', 'file']);
  });
});
