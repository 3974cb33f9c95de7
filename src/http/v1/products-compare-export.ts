import { planComparison } from '../../domain/holder.ts';
import { rankColumn, shareColumn, textColumn } from '../../export/columns.ts';
import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { compareParameters, openHolderView, toListQuery } from './holder-parameters.ts';
import { answerListExport, listExportParameters } from './list-export.ts';
import { presentCompared } from './products-compare.ts';
import { NO_TREND } from './trend-parameters.ts';

const { page: _page, ...parameters } = compareParameters;

export const exportProductComparison = defineEndpoint({
  method: 'GET',
  path: '/v1/products/compare/export',
  operationId: 'exportProductComparison',
  summary: 'Export a comparison of products',
  description: `The elements of the same list, in the same order, as a file with three columns for each product. ${EXPORT_TERMS}`,
  tag: 'Products',
  scope: 'export',
  parameters: { ...parameters, ...listExportParameters },
  success: fileSuccess,
  handle: async (request) => {
    const { asin, mode, type, limit } = request.parameters;
    const { view, context } = openHolderView(request, type);
    return await answerListExport(request, view, () => {
      const query = { ...toListQuery({ ...request.parameters, page: 1, limit: 1 }), asins: asin, mode };
      const plan = planComparison(query, context);
      return {
        ...{ name: `${plan.asins[0]}-${mode}`, sheetName: 'Comparison', title: 'Products compared' },
        columns: [
          textColumn({ label: 'Search term', field: 'search_term', widthCharacters: 40 }),
          rankColumn({ label: 'Search rank', field: 'search_rank' }),
          ...plan.asins.flatMap(standingColumns),
        ],
        ...{ window: plan.window, periods: plan.period ? [plan.period] : [], slice: { offset: 0, limit } },
        readPage: async (slice) =>
          (await view?.compareProducts({ ...plan, ...slice }, { signal: request.signal })) ?? NO_TREND,
        present: (row) => presentCompared(row, plan.asins),
        flatten: (wire) => flattenCompared(wire as unknown as ReturnType<typeof presentCompared>),
      };
    });
  },
});

function standingColumns(asin: string) {
  return [
    rankColumn({ label: `${asin} place`, field: `${asin}_place` }),
    shareColumn({ label: `${asin} click share`, field: `${asin}_click_share` }),
    shareColumn({ label: `${asin} conversion share`, field: `${asin}_conversion_share` }),
  ];
}

function flattenCompared({ products, ...keyword }: ReturnType<typeof presentCompared>) {
  const standings = products.flatMap(({ asin, ...standing }) =>
    Object.entries(standing).map(([field, value]) => [`${asin}_${field}`, value]),
  );
  return { ...keyword, ...Object.fromEntries(standings) };
}
