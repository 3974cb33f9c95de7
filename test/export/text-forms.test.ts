import { describe, expect, it } from 'vitest';
import type { KeywordExport, ValueFormat } from '../../src/domain/keyword-export.ts';
import { cleanText } from '../../src/export/cell-text.ts';
import { openCsv } from '../../src/export/csv.ts';
import { keywordTable } from '../../src/export/keyword-table.ts';
import { openNdjson } from '../../src/export/ndjson.ts';
import { bytesOf, exampleInsights, keywordExport, keywordRow, months } from '../support/keyword-export.ts';
import { TEXT_PAYLOADS } from '../support/text-payloads.ts';

const periods = months({ count: 3 });

function oneRow(format: ValueFormat): KeywordExport {
  const products = [{ asin: 'B000000001', title: 'One, "only"', clickShare: 12.34, conversionShare: null }];
  const row = keywordRow('Running Shoes', {
    periods,
    ranks: [800, null, 900],
    products,
    brands: ['Acme', 'Bolt, Inc.'],
    categories: ['Sports & Outdoors'],
  });
  return keywordExport([row], { periods, format });
}

function termsOnly(terms: readonly string[]): KeywordExport {
  return keywordExport(
    terms.map((term) => keywordRow(term, { periods, ranks: [1, 1, 1] })),
    { periods },
  );
}

/** A strict reader of RFC 4180, written from its grammar. */
function parseCsv(text: string): readonly (readonly string[])[] {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const lines: string[][] = [];
  let line: string[] = [];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (match === null) throw new Error(`Not CSV at ${at}: ${JSON.stringify(text.slice(at, at + 40))}`);
    line.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '\r\n') {
      lines.push(line);
      line = [];
    }
  }
  return lines;
}

async function csvOf(input: KeywordExport): Promise<readonly (readonly string[])[]> {
  const text = (await bytesOf(openCsv(keywordTable(input)))).toString('utf8');
  expect(text.charCodeAt(0)).toBe(0xfeff);
  return parseCsv(text.slice(1));
}

describe('CSV', () => {
  it.each([
    ['raw', ['800', '', '900']],
    ['delta', ['', '', '-100']],
    ['percentage', ['', '', '-12.5']],
  ] as const)('has one line per keyword under the names of the API, with %s values', async (format, values) => {
    expect(await csvOf(oneRow(format))).toEqual([
      [
        ...['search_term', '01-2024', '02-2024', '03-2024'],
        ...['latest_rank', 'best_rank', 'worst_rank', 'avg_rank', 'total_periods'],
        ...['product_1_asin', 'product_1_title', 'product_1_click_share', 'product_1_conversion_share'],
        ...['product_2_asin', 'product_2_title', 'product_2_click_share', 'product_2_conversion_share'],
        ...['product_3_asin', 'product_3_title', 'product_3_click_share', 'product_3_conversion_share'],
        ...['brands', 'categories'],
      ],
      [
        ...['Running Shoes', ...values, '900', '800', '900', '850', '2'],
        ...['B000000001', 'One, "only"', '12.34', '', '', '', '', '', '', '', '', ''],
        ...['Acme; Bolt, Inc.', 'Sports & Outdoors'],
      ],
    ]);
  });

  it('puts an apostrophe before what a spreadsheet could run, and the text can be had back', async () => {
    const [, ...lines] = await csvOf(termsOnly(TEXT_PAYLOADS));
    const terms = lines.map(([term = '']) => term);
    expect(terms.filter((term) => /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/u.test(term))).toEqual([]);
    const read = terms.map((term) => term.replace(/(^|[,;|\t\n])'/gu, '$1'));
    expect(read).toEqual(TEXT_PAYLOADS.map(cleanText));
  });

  it('leaves ordinary terms alone', async () => {
    const terms = ['running shoes', 'a-b', '3+1', 'café', '靴', '007', 'e@mail', "men's"];
    const [, ...lines] = await csvOf(termsOnly(terms));
    expect(lines.map(([term]) => term)).toEqual(terms);
  });
});

describe('NDJSON', () => {
  it.each([
    ['raw', { '01-2024': 800, '03-2024': 900 }],
    ['delta', { '03-2024': -100 }],
    ['percentage', { '03-2024': -12.5 }],
  ] as const)('has one search result per line, with %s values', async (format, data) => {
    const text = (await bytesOf(openNdjson(keywordTable(oneRow(format))))).toString('utf8');
    expect(text.endsWith('}\n')).toBe(true);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        search_term: 'Running Shoes',
        normalized_search_term: 'running shoes',
        data,
        summary: {
          total_periods: 2,
          best_rank: 800,
          worst_rank: 900,
          avg_rank: 850,
          latest_rank: 900,
          latest_period: '03-2024',
        },
        latest_data: {
          brands: ['Acme', 'Bolt, Inc.'],
          products: [{ asin: 'B000000001', title: 'One, "only"', click_share: 12.34, conversion_share: 0 }],
          categories: ['Sports & Outdoors'],
        },
      },
    ]);
  });

  it('keeps every text exactly, on one line each', async () => {
    const text = (await bytesOf(openNdjson(keywordTable(termsOnly(TEXT_PAYLOADS))))).toString('utf8');
    const lines = text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).search_term)).toEqual(TEXT_PAYLOADS);
  });
});

describe('insights', () => {
  const row = keywordRow('snow boots', { periods, ranks: [524, null, 259], insights: exampleInsights(periods) });

  it('are thirteen more columns, the same in CSV as on the wire', async () => {
    const [heading, line] = await csvOf(keywordExport([row], { periods }));
    const ndjson = (await bytesOf(openNdjson(keywordTable(keywordExport([row], { periods }))))).toString('utf8');
    const wire = JSON.parse(ndjson).insights;
    expect(heading?.slice(-13)).toEqual(Object.keys(wire));
    expect(line?.slice(-13)).toEqual(Object.values(wire).map((value) => (value === null ? '' : String(value))));
    expect(line?.slice(-13).join()).toBe('01-2024,01-2024,524,259,265,50.57,,12.67,20.15,1.5904,true,01-2024,2');
  });

  it('are no columns where they were not asked for', async () => {
    const { insights: _, ...plain } = row;
    const [heading] = await csvOf(keywordExport([plain], { periods }));
    expect(heading?.at(-1)).toBe('categories');
  });
});
