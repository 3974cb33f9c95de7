// Columns are found by name through a table of aliases, never by position. A reader maps each column of a file to one of
// ours, or to none.

const SLOTS = [1, 2, 3] as const;
type Slot = (typeof SLOTS)[number];

export type ReportColumn =
  | 'rank'
  | 'term'
  | 'date'
  | 'department'
  | 'period_type'
  | 'period'
  | 'platform'
  | `brand_${Slot}`
  | `category_${Slot}`
  | `asin_${Slot}`
  | `title_${Slot}`
  | `click_${Slot}`
  | `conversion_${Slot}`;

export type ReportFormat = 'amazon' | 'walmart' | 'plain';

const PRODUCT_COLUMNS = SLOTS.flatMap(
  (slot) => [`asin_${slot}`, `title_${slot}`, `click_${slot}`, `conversion_${slot}`] as const,
);

/** A file without these is no report of that format. */
const REQUIRED_COLUMNS: Readonly<Record<ReportFormat, readonly ReportColumn[]>> = {
  amazon: ['rank', 'term', ...PRODUCT_COLUMNS],
  walmart: ['rank', 'term', 'date', ...PRODUCT_COLUMNS],
  plain: ['period_type', 'period', 'term', 'rank'],
};

/** Header names as {@link headerKey} writes them. */
const ALIASES: Readonly<Record<ReportFormat, ReadonlyMap<string, ReportColumn>>> = {
  amazon: new Map<string, ReportColumn>([
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
  walmart: new Map<string, ReportColumn>([
    ['reportdate', 'date'],
    ['searchkeyword', 'term'],
    ['searchkeywordfrequencyrank', 'rank'],
    ...SLOTS.flatMap((slot): [string, ReportColumn][] => [
      [`item${slot}id`, `asin_${slot}`],
      [`item${slot}name`, `title_${slot}`],
      [`item${slot}brandname`, `brand_${slot}`],
      [`item${slot}clickshare`, `click_${slot}`],
      [`item${slot}conversionshare`, `conversion_${slot}`],
    ]),
  ]),
  plain: new Map<string, ReportColumn>([
    ['period_type', 'period_type'],
    ['period', 'period'],
    ['search_term', 'term'],
    ['rank', 'rank'],
    ['platform', 'platform'],
  ]),
};

export interface ColumnPlan {
  readonly format: ReportFormat;
  /** One entry per column of the file; undefined where the column is unknown and is skipped. */
  readonly columns: readonly (ReportColumn | undefined)[];
}

export type HeaderFault =
  | { readonly kind: 'not-a-header' }
  | { readonly kind: 'missing'; readonly format: ReportFormat; readonly names: readonly string[] }
  | { readonly kind: 'twice'; readonly format: ReportFormat; readonly names: readonly string[] };

/** Maps a header row, or says what is wrong with it as a header of the format it resembles most. */
export function planColumns(header: readonly string[]): ColumnPlan | HeaderFault {
  const candidates = (['amazon', 'walmart', 'plain'] as const).map((format) => ({
    format,
    columns: header.map((name) => ALIASES[format].get(headerKey(name))),
  }));
  const [best] = candidates.toSorted((a, b) => countKnown(b.columns) - countKnown(a.columns));
  // One known word is no header: a data row may well hold "rank" as its search term.
  if (!best || countKnown(best.columns) < 2) return { kind: 'not-a-header' };
  const { format, columns } = best;
  const missing = REQUIRED_COLUMNS[format].filter((column) => !columns.includes(column));
  if (missing.length > 0) return { kind: 'missing', format, names: missing.map((column) => aliasOf(format, column)) };
  const twice = columns.filter((column, position) => column !== undefined && columns.indexOf(column) !== position);
  if (twice.length > 0) {
    return { kind: 'twice', format, names: twice.map((column) => (column ? aliasOf(format, column) : '')) };
  }
  return best;
}

function countKnown(columns: readonly (ReportColumn | undefined)[]): number {
  return columns.filter((column) => column !== undefined).length;
}

/** The English name of a column, for messages. */
function aliasOf(format: ReportFormat, column: ReportColumn): string {
  for (const [alias, target] of ALIASES[format]) if (target === column) return alias;
  return column;
}

function headerKey(name: string): string {
  return name
    .replace(/^\uFEFF/, '')
    .replace(/\s*：\s*/g, ': ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
