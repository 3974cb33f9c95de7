import { type Holder, planHolder } from '../../domain/holder.ts';
import { rankColumn, shareColumn, textColumn } from '../../export/columns.ts';
import type { Answer, RequestContext } from '../endpoint.ts';
import { notInReports, type PresentedPeriod, presentHolder, withoutShares } from './holder-answer.ts';
import { holderParameters, openHolderView } from './holder-parameters.ts';
import { answerListExport, listExportParameters } from './list-export.ts';

export const holderExportParameters = { ...holderParameters, ...listExportParameters };

const PERIOD_COLUMNS = [
  textColumn({ label: 'Period', field: 'period', widthCharacters: 11.5 }),
  textColumn({ label: 'First day', field: 'start_date', widthCharacters: 11.5 }),
  textColumn({ label: 'Last day', field: 'end_date', widthCharacters: 11.5 }),
  rankColumn({ label: 'Keywords', field: 'keywords' }),
  rankColumn({ label: 'First places', field: 'place_1' }),
  rankColumn({ label: 'Second places', field: 'place_2' }),
  rankColumn({ label: 'Third places', field: 'place_3' }),
  textColumn({ label: 'Best keyword', field: 'best_keyword', widthCharacters: 40 }),
  rankColumn({ label: 'Its search rank', field: 'best_keyword_search_rank' }),
  rankColumn({ label: 'Its place', field: 'best_keyword_place' }),
];

const COLUMNS = {
  brand: PERIOD_COLUMNS,
  product: [
    ...PERIOD_COLUMNS,
    shareColumn({ label: 'Sum of click shares', field: 'click_share_sum' }),
    shareColumn({ label: 'Mean of click shares', field: 'click_share_mean' }),
  ],
} as const;

/** The periods of a product or a brand as a file, oldest first. */
export async function answerHolderExport(
  request: RequestContext<typeof holderExportParameters>,
  { holder, name }: { readonly holder: Holder; readonly name: string },
): Promise<Answer> {
  const { id, parameters, signal } = request;
  const asked = openHolderView(request, parameters.type);
  return await answerListExport(request, asked.view, async () => {
    const plan = planHolder(holder, asked.context);
    const found = await asked.view?.findHolder(plan, { signal });
    if (!found) throw notInReports(name);
    const rows = presentHolder(found, plan.window, asked).periods;
    return {
      ...{ name: `${id} over time`, sheetName: 'Periods', title: `${id} over time`, columns: COLUMNS[holder.kind] },
      ...{ window: plan.window, periods: plan.window, slice: { offset: 0, limit: parameters.limit } },
      readPage: ({ offset, limit }) =>
        Promise.resolve({ totalCount: rows.length, rows: rows.slice(offset, offset + limit) }),
      present: (row) => (holder.kind === 'product' ? row : withoutShares(row)),
      flatten: (wire) => flattenPeriod(wire as unknown as PresentedPeriod),
    };
  });
}

function flattenPeriod({ best_keyword: best, ...period }: PresentedPeriod) {
  return {
    ...period,
    best_keyword: best?.search_term ?? null,
    best_keyword_search_rank: best?.search_rank ?? null,
    best_keyword_place: best?.place ?? null,
  };
}
