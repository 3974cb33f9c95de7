import { type HeldKeyword, type Holder, planHeldKeywords } from '../../domain/holder.ts';
import { type Column, percentColumn, rankColumn, shareColumn, textColumn } from '../../export/columns.ts';
import type { Answer, RequestContext } from '../endpoint.ts';
import { notInReports } from './holder-answer.ts';
import { type heldExportParameters, openHolderView, toListQuery } from './holder-parameters.ts';
import { answerListExport } from './list-export.ts';

const BRAND_COLUMNS = [
  textColumn({ label: 'Search term', field: 'search_term', widthCharacters: 40 }),
  rankColumn({ label: 'Search rank', field: 'search_rank' }),
  rankColumn({ label: 'Place', field: 'place' }),
  rankColumn({ label: 'Previous rank', field: 'previous_search_rank' }),
  rankColumn({ label: 'Previous place', field: 'previous_place' }),
  textColumn({ label: 'Since', field: 'since', widthCharacters: 11.5 }),
];

/** In the order of their fields in the API. */
const COLUMNS: Readonly<Record<Holder['kind'], readonly Column[]>> = {
  brand: BRAND_COLUMNS,
  product: [
    ...BRAND_COLUMNS,
    shareColumn({ label: 'Click share', field: 'click_share' }),
    shareColumn({ label: 'Conversion share', field: 'conversion_share' }),
    shareColumn({ label: 'Previous click share', field: 'previous_click_share' }),
    shareColumn({ label: 'Previous conversion share', field: 'previous_conversion_share' }),
    percentColumn({ label: 'Change of click share', field: 'share_change' }),
  ],
};

/** The keywords of a product or a brand as a file. */
export async function answerHeldExport(
  request: RequestContext<ReturnType<typeof heldExportParameters>>,
  {
    holder,
    name,
    present,
  }: { readonly holder: Holder; readonly name: string; readonly present: (keyword: HeldKeyword) => object },
): Promise<Answer> {
  const { parameters, signal } = request;
  const { view, context } = openHolderView(request, parameters.type);
  return await answerListExport(request, view, () => {
    const list = { ...toListQuery({ ...parameters, page: 1, limit: 1 }), status: parameters.status };
    const plan = planHeldKeywords({ ...list, holder, orderBy: parameters.order_by }, context);
    return {
      ...{ name: request.id, sheetName: 'Keywords', title: `Keywords of ${request.id}`, columns: COLUMNS[holder.kind] },
      ...{ window: plan.window, periods: [plan.previous, plan.period].flatMap((period) => period ?? []) },
      slice: { offset: 0, limit: parameters.limit },
      readPage: async (slice) => {
        const found = await view?.listHeldKeywords({ ...plan, ...slice }, { signal });
        if (!found) throw notInReports(name);
        return found;
      },
      present,
    };
  });
}
