// Amazon Brand Analytics "Top Search Terms" as Seller and Vendor Central give it: 21 columns, the older 15, or Chinese ones, below
// a line such as `Reporting Range=["Weekly"],Select week=["Week 28 | 2026-07-05 - 2026-07-11 2026"]`.
import { type IsoDate, parseIsoDate, periodDates } from '../../domain/period.ts';
import { findRange } from './report-dates.ts';
import { type CsvFormat, PRODUCT_COLUMNS, type ReportColumn, type ReportMetadata, SLOTS } from './report-format.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

export const AMAZON_CSV: CsvFormat = {
  kind: 'csv',
  name: 'Amazon "Top Search Terms"',
  headers: new Map<string, ReportColumn>([
    ['search frequency rank', 'rank'],
    ['搜索频率排名', 'rank'],
    ['search term', 'term'],
    ['搜索词', 'term'],
    ['reporting date', 'date'],
    ['报告日期', 'date'],
    ['department', 'department'],
    ['部门', 'department'],
    ...SLOTS.flatMap((slot): [string, ReportColumn][] => [
      [`top clicked brand #${slot}`, `brand_${slot}`],
      [`top clicked brands #${slot}`, `brand_${slot}`],
      [`点击量最高的品牌 #${slot}`, `brand_${slot}`],
      [`top clicked category #${slot}`, `category_${slot}`],
      [`top clicked categories #${slot}`, `category_${slot}`],
      [`点击量最高的类别 #${slot}`, `category_${slot}`],
      [`top clicked product #${slot}: asin`, `asin_${slot}`],
      [`top clicked product #${slot}: product title`, `title_${slot}`],
      [`top clicked product #${slot}: click share`, `click_${slot}`],
      [`top clicked product #${slot}: conversion share`, `conversion_${slot}`],
      [`#${slot} clicked asin`, `asin_${slot}`],
      [`#${slot} product title`, `title_${slot}`],
      [`#${slot} click share`, `click_${slot}`],
      [`#${slot} conversion share`, `conversion_${slot}`],
      [`点击量最高的商品 #${slot}: asin`, `asin_${slot}`],
      [`点击量最高的商品 #${slot}: 商品名称`, `title_${slot}`],
      [`点击量最高的商品 #${slot}: 点击份额`, `click_${slot}`],
      [`点击量最高的商品 #${slot}: 转化份额`, `conversion_${slot}`],
    ]),
  ]),
  required: ['rank', 'term', ...PRODUCT_COLUMNS],
  parseMetadataLine,
  period: { weekEndsOn: 'Saturday' },
  products: { shares: 'percent', minIdCharacters: 10, maxIdCharacters: 10 },
  marketplace: { from: 'file name' },
};

/** Undefined when it is no metadata line. */
export function parseMetadataLine(fields: readonly string[]): ReportMetadata | undefined {
  // A spreadsheet that saved the file again pads the line with empty fields up to the width of the header.
  const line = fields
    .join(',')
    .replace(/^\uFEFF/, '')
    .replace(/,+$/, '');
  const parts = [...line.matchAll(/([^=,\]]+)=\[(.*?)\](?=,|$)/gu)].map(([, name = '', value = '']) => ({
    name: name.trim().toLowerCase(),
    value: value.replace(/^"|"$/g, ''),
  }));
  const [first] = parts;
  if (!first || !/^[^=,]+=\[/.test(line)) return undefined;
  const range = findRange(parts.find((part) => /range|范围/u.test(part.name))?.value ?? first.value);
  const endDate = findEndDate(parts);
  const filter = parts.find((part) => /^(search terms?|搜索词)$/u.test(part.name) && part.value !== '')?.value;
  return {
    ...(range && { range }),
    ...(endDate && { endDate }),
    ...(filter !== undefined && { filter }),
  };
}

function findEndDate(parts: readonly { name: string; value: string }[]): IsoDate | undefined {
  for (const { value } of parts) {
    const span = /([0-9]{4}-[0-9]{2}-[0-9]{2})\s*-\s*([0-9]{4}-[0-9]{2}-[0-9]{2})/.exec(value);
    if (span) return parseIsoDate(span[2] ?? '');
  }
  // "Select year" and "Select month" without a span: the printed month of that year.
  const year = Number(parts.map((part) => /^([0-9]{4})\s*年?$/.exec(part.value.trim())?.[1]).find(Boolean));
  const month = parts.map((part) => findMonth(part.value)).find((number) => number !== undefined);
  if (!year || month === undefined) return undefined;
  return periodDates({ frequency: 'monthly', year, number: month }).end;
}

function findMonth(text: string): number | undefined {
  const chinese = /^([0-9]{1,2})\s*月$/.exec(text.trim());
  if (chinese) return Number(chinese[1]);
  const word = /^([A-Za-z]{3,})\b/.exec(text.trim())?.[1]?.toLowerCase();
  const position = word === undefined ? -1 : MONTHS.findIndex((month) => word.startsWith(month));
  return position < 0 ? undefined : position + 1;
}
