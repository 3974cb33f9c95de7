import { describe, expect, it } from 'vitest';
import { attachmentHeader, exportFileName } from './file-name.ts';

const october = { frequency: 'monthly', year: 2026, number: 10 } as const;
const week7 = { frequency: 'weekly', year: 2026, number: 7 } as const;

function nameOf(...queries: string[]): string {
  return exportFileName({ queries, frequency: 'monthly', format: 'raw', latestPeriod: october, extension: 'xlsx' });
}

describe('an export file name', () => {
  it('says what the file is, of what, how often and until when', () => {
    expect(nameOf('running shoes')).toBe('keyrank-running-shoes-monthly-2026-10.xlsx');
    expect(
      exportFileName({
        queries: ["Men's Shoes"],
        frequency: 'weekly',
        format: 'raw',
        latestPeriod: week7,
        extension: 'csv',
      }),
    ).toBe('keyrank-mens-shoes-weekly-2026-w07.csv');
  });

  it('tells changes and percentages from ranks, so that the three do not overwrite each other', () => {
    const shared = { queries: ['hats'], frequency: 'monthly', latestPeriod: october, extension: 'xlsx' } as const;
    expect((['raw', 'delta', 'percentage'] as const).map((format) => exportFileName({ ...shared, format }))).toEqual([
      'keyrank-hats-monthly-2026-10.xlsx',
      'keyrank-hats-monthly-changes-2026-10.xlsx',
      'keyrank-hats-monthly-percent-2026-10.xlsx',
    ]);
  });

  it('counts the other queries', () => {
    expect(nameOf('running shoes', 'boots', 'hats')).toBe('keyrank-running-shoes-and-2-more-monthly-2026-10.xlsx');
  });

  it.each([
    ['../../etc/passwd', 'keyrank-etc-passwd-monthly-2026-10.xlsx'],
    ['a"b\r\nX-Evil: 1', 'keyrank-a-b-x-evil-1-monthly-2026-10.xlsx'],
    ['C:\\con', 'keyrank-c-con-monthly-2026-10.xlsx'],
    ['=+-', 'keyrank-keywords-monthly-2026-10.xlsx'],
    ['', 'keyrank-keywords-monthly-2026-10.xlsx'],
    ['\u202Egpj.exe', 'keyrank-gpj-exe-monthly-2026-10.xlsx'],
    ['x'.repeat(300), `keyrank-${'x'.repeat(40)}-monthly-2026-10.xlsx`],
  ])('is harmless for %j', (query, expected) => expect(nameOf(query)).toBe(expected));

  it('stays within 255 bytes in any script', () => {
    expect(Buffer.byteLength(nameOf('𝒳靴'.repeat(100), 'b'))).toBeLessThanOrEqual(255);
  });
});

describe('the attachment header', () => {
  it('is a plain name where that is the whole truth', () => {
    expect(attachmentHeader(nameOf('running shoes'))).toBe(
      'attachment; filename="keyrank-running-shoes-monthly-2026-10.xlsx"',
    );
  });

  it('adds the true name in UTF-8 where ASCII cannot say it', () => {
    expect(attachmentHeader(nameOf('Café crème'))).toBe(
      'attachment; filename="keyrank-cafe-creme-monthly-2026-10.xlsx"; ' +
        "filename*=UTF-8''keyrank-caf%C3%A9-cr%C3%A8me-monthly-2026-10.xlsx",
    );
    expect(attachmentHeader(nameOf('靴 メンズ'))).toBe(
      'attachment; filename="keyrank-monthly-2026-10.xlsx"; ' +
        "filename*=UTF-8''keyrank-%E9%9D%B4-%E3%83%A1%E3%83%B3%E3%82%BA-monthly-2026-10.xlsx",
    );
  });

  it('has no character that could end the header or the quotes, whatever the name', () => {
    expect(attachmentHeader('a"b\r\n(c)\'*.xlsx')).toBe(
      'attachment; filename="a-b-c-.xlsx"; filename*=UTF-8\'\'a%22b%0D%0A%28c%29%27%2A.xlsx',
    );
  });
});
