// The keywords of a product or a brand in a period and in the one before, side by side (domain/holder.ts). What it holds of a term lies on
// the node of the term, which puts it together.
import type { HeldKeyword, HeldKeywordPlan, HeldOrder, HeldStatus } from '../../domain/holder.ts';
import type { Period } from '../../domain/period.ts';
import type { ReadOptions, TrendPage } from '../../domain/store.ts';
import { directed, readPage } from '../list-page.ts';
import { periodNumber, periodOf } from '../period-number.ts';
import { knownRank, rankIn } from '../period-rank.ts';
import type { SetReader } from '../set-reader.ts';
import { type Sql, sql } from '../sql.ts';
import { findTerms, holderKey, inPeriods, presentStanding } from './holder-rows.ts';

interface Found {
  readonly searchTerm: string;
  readonly now_rank: number;
  readonly before_rank: number;
  readonly now_place: number;
  readonly now_click: number;
  readonly now_conversion: number;
  readonly before_place: number;
  readonly before_click: number;
  readonly before_conversion: number;
  readonly since: number;
}

const WANTED: Readonly<Record<HeldStatus, Sql>> = {
  held: sql`now_place > 0`,
  entered: sql`now_place > 0 AND before_place = 0`,
  left: sql`now_place = 0 AND before_place > 0`,
  all: sql`(now_place > 0 OR before_place > 0)`,
};

export async function listHeldKeywords(
  reader: SetReader,
  plan: HeldKeywordPlan,
  options?: ReadOptions,
): Promise<TrendPage<HeldKeyword> | undefined> {
  const page = await readHeldKeywords(reader, plan, options);
  return page.totalCount > 0 || (await isNamed(reader, plan, options)) ? page : undefined;
}

async function readHeldKeywords(
  reader: SetReader,
  plan: HeldKeywordPlan,
  options: ReadOptions | undefined,
): Promise<TrendPage<HeldKeyword>> {
  const { period, previous, status } = plan;
  // Without a period before, nothing has entered.
  if (!period || (status === 'entered' && !previous)) return { totalCount: 0, rows: [] };
  const { documents, holdings } = reader.tables;
  const compared = inPeriods(reader, previous ? [previous, period] : [period]);
  const beforeRank = previous ? rankIn(previous) : sql`toUInt32(0)`;
  const { totalCount, rows } = await readPage<Found>(
    reader,
    {
      columns: sql`original AS searchTerm, ${rankIn(period)} AS now_rank, ${beforeRank} AS before_rank, now_place, now_click,
        now_conversion, before_place, before_click, before_conversion, since`,
      from: sql`${documents.all} ANY INNER JOIN (${selectStandings(reader, { plan, period })}) AS standing USING term_id
        WHERE ${await findTerms(reader, plan, options)} AND ${WANTED[status]} AND term_id IN (
          SELECT term_id FROM ${holdings.here} WHERE ${compared} AND holder = ${holderKey(plan.holder)})`,
      order: orderOf(plan.order, rankIn(period)),
      offset: plan.offset,
      limit: plan.limit,
    },
    options,
  );
  return { totalCount, rows: rows.map((row) => presentKeyword(row, period.frequency)) };
}

/** By term: where it stands in the period and in the one before, and since when it is held without a gap. */
function selectStandings(
  reader: SetReader,
  { plan, period }: { readonly plan: HeldKeywordPlan; readonly period: Period },
): Sql {
  const newest = periodNumber(period);
  const followed = plan.window.filter((each) => periodNumber(each) <= newest);
  const numbers = followed.map(periodNumber);
  const inPeriod = (number: number, column: Sql): Sql => sql`argMinIf(${column}, place, period = ${number})`;
  const [now, before] = [newest, plan.previous ? periodNumber(plan.previous) : 0];
  // By periods back: whether the term is held.
  const held = sql`groupArrayInsertAt(0, ${numbers.length})(toUInt8(1), toUInt32(${numbers.length} - indexOf(${numbers}, period)))`;
  return sql`SELECT term_id, now_place, now_click, now_conversion, before_place, before_click, before_conversion,
      ${numbers}[${numbers.length + 1} - arrayFirstIndex(h -> h = 0, arrayPushBack(arraySlice(held, 2), 0))] AS since
    FROM (
      SELECT term_id, ${inPeriod(now, sql`place`)} AS now_place, ${inPeriod(now, sql`click`)} AS now_click,
        ${inPeriod(now, sql`conversion`)} AS now_conversion, ${inPeriod(before, sql`place`)} AS before_place,
        ${inPeriod(before, sql`click`)} AS before_click, ${inPeriod(before, sql`conversion`)} AS before_conversion,
        ${held} AS held
      FROM ${reader.tables.holdings.here}
      WHERE ${inPeriods(reader, followed)} AND holder = ${holderKey(plan.holder)} GROUP BY term_id)`;
}

function orderOf({ field, direction }: HeldKeywordPlan['order'], rank: Sql): Sql {
  const keys: Readonly<Record<HeldOrder, { readonly isKnown: Sql; readonly key: Sql }>> = {
    search_rank: { isKnown: sql`${rank} > 0`, key: rank },
    place: { isKnown: sql`now_place > 0`, key: sql`now_place` },
    click_share: { isKnown: sql`now_place > 0 AND now_click >= 0`, key: sql`now_click` },
    conversion_share: { isKnown: sql`now_place > 0 AND now_conversion >= 0`, key: sql`now_conversion` },
    share_change: {
      isKnown: sql`now_place > 0 AND now_click >= 0 AND before_place > 0 AND before_click >= 0`,
      key: sql`now_click - before_click`,
    },
    since: { isKnown: sql`since > 0`, key: sql`since` },
  };
  const { isKnown, key } = keys[field];
  const known = sql`if(${isKnown}, ${key}, 0)`;
  return sql`(${isKnown}) DESC, ${directed(known, direction)}, (${rank} = 0) ASC, ${rank} ASC, term ASC`;
}

function presentKeyword(row: Found, frequency: Period['frequency']): HeldKeyword {
  return {
    searchTerm: row.searchTerm,
    rank: knownRank(row.now_rank),
    previousRank: knownRank(row.before_rank),
    standing: presentStanding({ place: row.now_place, click: row.now_click, conversion: row.now_conversion }),
    previous: presentStanding({ place: row.before_place, click: row.before_click, conversion: row.before_conversion }),
    since: periodOf(row.since, frequency),
  };
}

/** Whether a visible report names it. */
async function isNamed(
  reader: SetReader,
  { window, holder }: Pick<HeldKeywordPlan, 'window' | 'holder'>,
  options: ReadOptions | undefined,
): Promise<boolean> {
  if (window.length === 0) return false;
  const rows = await reader.rows(
    sql`SELECT 1 AS named FROM ${reader.tables.holdings.all}
      WHERE ${inPeriods(reader, window)} AND holder = ${holderKey(holder)} LIMIT 1`,
    options,
  );
  return rows.length > 0;
}
