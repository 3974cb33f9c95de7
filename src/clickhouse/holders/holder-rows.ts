// The rows of products and brands (schema.ts), for questions about them.
import type { Holder, Standing } from '../../domain/holder.ts';
import type { Period } from '../../domain/period.ts';
import type { QueryText } from '../../domain/query-text.ts';
import { NO_FILTERS } from '../../domain/search-filter.ts';
import type { ReadOptions } from '../../domain/store.ts';
import { periodNumber } from '../period-number.ts';
import type { Row } from '../schema.ts';
import { matchingTerms } from '../search/matching-terms.ts';
import type { SetReader } from '../set-reader.ts';
import { list, type Sql, sql } from '../sql.ts';
import { TOKENS } from '../tokens.ts';

/** Where a product or a brand stands for a term, as tables hold it. */
export type HeldPlace = Pick<Row<'holdings'>, 'place' | 'click' | 'conversion'>;

export function holderKey(holder: Holder): string {
  return holder.kind === 'product' ? productKey(holder.asin) : TOKENS.brand + holder.name;
}

export function productKey(asin: string): string {
  return TOKENS.asin + asin;
}

/** A condition on points and holdings; there must be a period. */
export function inPeriods(reader: SetReader, periods: readonly Period[]): Sql {
  return sql`segment IN ${list(periods.map((period) => segmentOf(reader, period)))}`;
}

/** A condition on documents: those of the terms that a search for one of the texts finds, or all where there is none. */
export async function findTerms(
  reader: SetReader,
  { window, queries }: { readonly window: readonly Period[]; readonly queries: readonly QueryText[] },
  options?: ReadOptions,
): Promise<Sql> {
  const match = queries.length === 0 ? undefined : ({ kind: 'similar', queries, excluded: [] } as const);
  return await matchingTerms(reader, { window, match, filters: NO_FILTERS }, options);
}

/** The newest title that is not blank, by product; there must be a product and a period. */
export async function readTitles(
  reader: SetReader,
  { window, asins }: { readonly window: readonly Period[]; readonly asins: readonly string[] },
  options?: ReadOptions,
): Promise<ReadonlyMap<string, string>> {
  const rows = await reader.rows<{ readonly key: string; readonly title: string }>(
    sql`SELECT holder AS key, argMax(name, period) AS title FROM ${reader.tables.holdings.all}
      WHERE ${inPeriods(reader, window)} AND holder IN ${list(asins.map(productKey))} AND name != '' GROUP BY holder`,
    options,
  );
  const titles = new Map(rows.map(({ key, title }) => [key, title]));
  return new Map(asins.map((asin) => [asin, titles.get(productKey(asin)) ?? '']));
}

/** As answers have a share; -1 is not known. */
export function percent(hundredths: number): number | null {
  return hundredths < 0 ? null : hundredths / 100;
}

/** Null where it does not stand; its place is 0 then. */
export function presentStanding({ place, click, conversion }: HeldPlace): Standing | null {
  return place === 0 ? null : { place, clickShare: percent(click), conversionShare: percent(conversion) };
}

function segmentOf({ segments }: SetReader, period: Period): string {
  const segment = segments.get(periodNumber(period));
  if (segment === undefined) throw new Error(`the set has no segment of the period ${periodNumber(period)}`);
  return segment;
}
