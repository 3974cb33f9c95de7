import { describe, expect, it } from 'vitest';
import { downloadFileName, originOf, parseDownloadFileName } from './download.ts';

describe('originOf', () => {
  it('tells fetched periods from imported ones by the name of their file', () => {
    expect(['US_weekly_28-2026.sp-api.json', 'US_Top_Search_Terms.csv'].map(originOf)).toEqual(['amazon', 'file']);
  });
});

describe('parseDownloadFileName', () => {
  it('says what a file must be that was fetched, and nothing of any other', () => {
    const download = { marketplace: 'US', period: { frequency: 'weekly', year: 2026, number: 28 } } as const;
    expect(parseDownloadFileName(downloadFileName(download))).toEqual(download);
    for (const name of ['US.csv', 'US_weekly_28-2026.json', 'US_weekly_54-2026.sp-api.json', 'XX_weekly_.sp-api.json'])
      expect(parseDownloadFileName(name)).toBeUndefined();
  });
});
