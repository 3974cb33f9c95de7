// How keywords of social media moved over a few periods (domain/trend.ts). Their reports name no categories: those of the retail keyword
// count, which has the same id and so lies on the same node.
import type { ReadOptions, SocialRow, TrendPage } from '../../domain/store.ts';
import type { SocialOrder, SocialPlan } from '../../domain/trend.ts';
import { directed, readPage } from '../list-page.ts';
import { knownRank, rankIn } from '../period-rank.ts';
import type { SetReader } from '../set-reader.ts';
import { allOf, join, type Sql, sql } from '../sql.ts';
import { findTrendTerms, withinRanks } from './trend-terms.ts';

interface Found extends Omit<SocialRow, 'ranks'> {
  readonly spanRanks: readonly number[];
}

export async function listSocialRanks(
  reader: SetReader,
  plan: SocialPlan,
  { retail, ...options }: ReadOptions & { readonly retail: SetReader | undefined },
): Promise<TrendPage<SocialRow>> {
  const { span, filters } = plan;
  const [first, last] = [span[0], span.at(-1)];
  const hasCategories = filters.categories.length > 0;
  if (!first || !last || (hasCategories && !isVisible(retail, plan))) return { totalCount: 0, rows: [] };
  const [start, end] = [rankIn(first), rankIn(last)];
  const conditions = [
    await findTrendTerms(reader, { ...plan, filters: { ...filters, categories: [] } }, options),
    sql`${start} > 0 AND ${end} > 0`,
    withinRanks(end, filters),
  ];
  if (hasCategories && retail) conditions.push(await inCategories(retail, plan, options));
  const spanRanks = join(span.map(rankIn), ', ');
  const { totalCount, rows } = await readPage<Found>(
    reader,
    {
      columns: sql`original AS searchTerm, term AS normalizedSearchTerm, [${spanRanks}] AS spanRanks,
        ${start} AS startRank, ${end} AS endRank`,
      from: sql`${reader.tables.documents.all} WHERE ${allOf(conditions)}`,
      order: orderOf({ start, end }, plan.order),
      offset: plan.offset,
      limit: plan.limit,
    },
    options,
  );
  return { totalCount, rows: rows.map(({ spanRanks: ranks, ...row }) => ({ ...row, ranks: ranks.map(knownRank) })) };
}

function isVisible(retail: SetReader | undefined, { retailWindow }: SocialPlan): boolean {
  return retail !== undefined && retailWindow.length > 0;
}

async function inCategories(
  retail: SetReader,
  { retailWindow, filters }: SocialPlan,
  options: ReadOptions,
): Promise<Sql> {
  const twins = await findTrendTerms(retail, { window: retailWindow, filters: { ...filters, queries: [] } }, options);
  return sql`term_id IN (SELECT term_id FROM ${retail.tables.documents.here} WHERE ${twins})`;
}

function orderOf(
  { start, end }: { readonly start: Sql; readonly end: Sql },
  { field, direction }: SocialPlan['order'],
): Sql {
  if (field === 'query') return directed(sql`term`, direction);
  const keys: Readonly<Record<Exclude<SocialOrder, 'query'>, Sql>> = {
    total_improvement: sql`${start} - ${end}`,
    start_rank: start,
    end_rank: end,
  };
  return sql`${directed(keys[field], direction)}, ${end} ASC, term ASC`;
}
