// The rows of a report as a table of DuckDB, read in one parallel pass. Nothing is filtered here, so that a row's rowid
// is its place in the file; a row that does not count carries a mark instead:
//   NULL        the row counts
//   'blank'     nothing in it: spreadsheets leave such lines behind
//   'elsewhere' a department's own rank, where the file also ranks the whole site
//   'merged'    the phantom twin of another row
//   otherwise   the reason why it was rejected
// A term that is written as it is normalised is kept once, under normalized; original is then NULL.
import { WHOLE_SITE_DEPARTMENTS } from '../../domain/marketplace.ts';
import { MAX_RANK } from '../../domain/ranking.ts';
import type { DuckDbSession } from '../duckdb-session.ts';
import { literal, pathLiteral } from '../duckdb-session.ts';
import { type ProductRules, type ReportColumn, type ReportFormat, SLOTS } from '../formats/report-format.ts';
import type { ReportLayout } from './report-layout.ts';

/** Of a term, a title or a name. Titles have 200 characters. */
export const MAX_TEXT_BYTES = 4000;
/** DuckDB sizes its buffers and the piece for each thread in lines of the longest length. */
const LINES_PER_BUFFER = 16;
const LINES_PER_PIECE = 4;
/** DuckDB stores rows in groups of 122,880; a few more, because lines are not all equally long. */
const ROWS_PER_PIECE = 125_000;
/** Of the memory, for one buffer. */
const MAX_BUFFER_SHARE = 1 / 4;

export interface ReportTable {
  readonly path: string;
  readonly layout: ReportLayout;
  readonly size: ReportSize;
  readonly threads: number;
  readonly memoryLimitBytes: number;
  /** The longest line that is read; of large files a longer one may be, see maxLineBytes. */
  readonly lineBytes: number;
}

export interface ReportSize {
  readonly bytes: number;
  /** About. */
  readonly bytesPerRow: number;
}

/** Marks rows that are left out without being at fault. */
export const SILENT_MARKS = ['blank', 'elsewhere', 'merged'] as const;

/** Whether all records could be split into fields. If not, there are no rows. */
export async function readRows(session: DuckDbSession, report: ReportTable): Promise<boolean> {
  try {
    await session.run(`CREATE TABLE report_rows AS ${selectRows(report)}`);
    return true;
  } catch (error) {
    if (error instanceof Error && /CSV Error|CSV Parser|Maximum line size/.test(error.message)) return false;
    throw error;
  }
}

/** The rows of the CSV file as text, under our own column names. */
function scanReport(report: ReportTable): string {
  const { path, layout } = report;
  const columns = layout.columns.map((column, position) => `${literal(column ?? `skipped_${position}`)}: 'VARCHAR'`);
  return `read_csv(${pathLiteral(path)}, columns = {${columns.join(', ')}}, skip = ${layout.skipLines}, header = false,
    delim = ',', quote = '"', escape = '"', auto_detect = false, compression = 'none', max_line_size = ${maxLineBytes(report)})`;
}

/**
 * Rows that come in pieces of less than a group are copied once more, to keep their order. So a large file is cut into pieces
 * of a group or more, as many for each thread. The size of the buffer alone must not be set for it: DuckDB 1.5 then takes the row
 * that crosses from one buffer to the next for a broken one.
 */
function maxLineBytes({ size, threads, memoryLimitBytes, lineBytes: minLineBytes }: ReportTable): number {
  const pieces = Math.floor(size.bytes / (ROWS_PER_PIECE * size.bytesPerRow) / threads) * threads;
  const lineBytes = Math.ceil(size.bytes / pieces / LINES_PER_PIECE);
  const isWorthIt = pieces > 0 && lineBytes * LINES_PER_BUFFER <= memoryLimitBytes * MAX_BUFFER_SHARE;
  return isWorthIt ? Math.max(lineBytes, minLineBytes) : minLineBytes;
}

function selectRows(report: ReportTable): string {
  const { layout } = report;
  const has = (column: ReportColumn) => layout.columns.includes(column);
  const text = (column: ReportColumn) => (has(column) ? column : 'NULL::VARCHAR');
  const names = (['brand', 'category', 'title'] as const).flatMap((name) =>
    SLOTS.map((slot) => `${text(`${name}_${slot}`)} AS ${name}_${slot}`),
  );
  const shareTexts = layout.columns.filter((column) => /^(click|conversion)_/.test(column ?? ''));
  const asins = SLOTS.map((slot) => `upper(${text(`asin_${slot}`)}) AS asin_${slot}`);
  const shares = SLOTS.flatMap((slot) =>
    (['click', 'conversion'] as const).map((kind) => {
      const column = `${kind}_${slot}` as const;
      const value = has(column) ? shareOf(column, layout.format) : 'NULL::SMALLINT';
      return `${value} AS ${kind}_share_${slot}`;
    }),
  );
  const parsed = `SELECT
      ${parsedRank()} AS parsed_rank, rank AS rank_text, term, ${shareTexts.join(', ')}${shareTexts.length > 0 ? ',' : ''}
      ${text('date')} AS date, trim(${text('period_type')}) AS period_type, trim(${text('period')}) AS period,
      ${[...names, ...asins, ...shares].join(',\n      ')},
      ${has('department') ? isElsewhere() : 'false'} AS is_elsewhere
    FROM ${scanReport(report)}`;
  return `SELECT * EXCLUDE (${['term', 'parsed_rank', 'rank_text', 'is_elsewhere', ...shareTexts].join(', ')}), coalesce(parsed_rank, 0)::UINTEGER AS rank,
      ${plainNormalization('term')} AS normalized, CASE WHEN term = normalized THEN NULL ELSE term END AS original,
      ${markOf(report)} AS mark,
      CASE mark WHEN 'rank' THEN rank_text WHEN 'asin' THEN concat_ws(' ', asin_1, asin_2, asin_3)
        WHEN 'share' THEN concat_ws(' ', ${['NULL', ...shareTexts].join(', ')}) END AS detail
    FROM (${parsed})`;
}

/**
 * A cast alone would round 1.5 and accept 1e3. Casting back and comparing excludes both, and is cheaper than a pattern. Commas
 * count only as thousands separators.
 */
function parsedRank(): string {
  return `CASE WHEN try_cast(rank AS UINTEGER)::VARCHAR = rank THEN try_cast(rank AS INTEGER)
    WHEN regexp_full_match(rank, ' *([0-9]+|[0-9]{1,3}(,[0-9]{3})+) *') THEN try_cast(replace(rank, ',', '') AS INTEGER) END`;
}

/** Hundredths of a percent, NULL when blank, -1 when it is not a share. */
function shareOf(column: ReportColumn, { products }: ReportFormat): string {
  const factor = products?.shares === 'fraction' ? 10_000 : 100;
  return `coalesce(try_cast(coalesce(try_cast(${column} AS DOUBLE), try_cast(rtrim(${column}, '% ') AS DOUBLE)) * ${factor}
    AS SMALLINT), CASE WHEN trim(${column}) <> '' THEN -1 END)::SMALLINT`;
}

function isElsewhere(): string {
  const sites = [...WHOLE_SITE_DEPARTMENTS].map(literal).join(', ');
  return `coalesce(lower(trim(department)) NOT IN (${sites}), false)`;
}

/** The normalised term where plain letters make it simple, otherwise NULL: those go through normalizeTerm itself. */
export function plainNormalization(column: string): string {
  // Most terms are written as they are normalised: printable letters, none of them a capital, and single spaces.
  return `CASE WHEN regexp_full_match(${column}, '[!-@\\[-~]+( [!-@\\[-~]+)*') THEN ${column}
    WHEN regexp_matches(${column}, '[^ -~]') THEN NULL
    WHEN contains(${column}, '  ') THEN lower(trim(regexp_replace(${column}, ' +', ' ', 'g')))
    WHEN starts_with(${column}, ' ') OR ends_with(${column}, ' ') THEN lower(trim(${column}))
    ELSE lower(${column}) END`;
}

function markOf({ layout }: ReportTable): string {
  const valued = ['term', 'asin_1', 'date', 'brand_1'].map((column) => `${column} IS NULL`).join(' AND ');
  const texts = [
    'term',
    ...(['brand', 'category', 'title'] as const).flatMap((name) => SLOTS.map((slot) => `${name}_${slot}`)),
  ];
  const isLong = `greatest(${texts.map((text) => `strlen(${text})`).join(', ')}) > ${MAX_TEXT_BYTES}`;
  return `CASE
      WHEN ${valued} AND nullif(trim(rank_text), '') IS NULL THEN 'blank'
      WHEN is_elsewhere THEN 'elsewhere'
      WHEN parsed_rank IS NULL OR parsed_rank NOT BETWEEN 1 AND ${MAX_RANK} THEN 'rank'
      WHEN term IS NULL OR normalized = '' THEN 'empty-term'
      WHEN ${isLong} THEN 'long-text'
      WHEN CASE WHEN contains(term, '#') OR contains(term, 'E+') THEN regexp_full_match(trim(term),
        '#(NAME\\?|REF!|VALUE!|DIV/0!|N/A|NULL!|NUM!|SPILL!)|[0-9](\\.[0-9]+)?E\\+[0-9]+') ELSE false END
        THEN 'damaged-term'
      ${layout.format.products ? productMarks(layout.format.products) : ''}
    END`;
}

function productMarks({ minIdCharacters, maxIdCharacters }: ProductRules): string {
  // One regular expression for all three, because it is the slow part.
  const badId = [
    `NOT regexp_full_match(concat(${SLOTS.map((slot) => `asin_${slot}`).join(', ')}), '[0-9A-Z]*')`,
    ...SLOTS.map((slot) => `strlen(asin_${slot}) NOT BETWEEN ${minIdCharacters} AND ${maxIdCharacters}`),
  ];
  const badShare = SLOTS.flatMap((slot) => [
    `click_share_${slot} NOT BETWEEN 0 AND 10000`,
    `conversion_share_${slot} NOT BETWEEN 0 AND 10000`,
  ]);
  return `WHEN ${badId.join(' OR ')} THEN 'asin' WHEN ${badShare.join(' OR ')} THEN 'share'`;
}
