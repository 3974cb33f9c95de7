import { planRoots } from '../../domain/root.ts';
import { rankColumn, textColumn } from '../../export/columns.ts';
import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { answerListExport, listExportParameters } from './list-export.ts';
import { openRequestedView } from './requested-view.ts';
import { presentRoot, rootParameters, toRootQuery } from './search-roots.ts';
import { NO_TREND } from './trend-parameters.ts';

const { page: _page, ...parameters } = rootParameters;

const COLUMNS = [
  textColumn({ label: 'Root', field: 'root', widthCharacters: 32 }),
  textColumn({ label: 'Kind', field: 'kind', widthCharacters: 11.5 }),
  rankColumn({ label: 'Terms', field: 'terms' }),
  rankColumn({ label: 'Best rank', field: 'best_rank' }),
  rankColumn({ label: 'Rising', field: 'rising' }),
  rankColumn({ label: 'Falling', field: 'falling' }),
];

export const exportSearchRoots = defineEndpoint({
  method: 'GET',
  path: '/v1/search/roots/export',
  operationId: 'exportSearchRoots',
  summary: 'Export words and phrases of a search',
  description: `The elements of the same list, in the same order, as a file. ${EXPORT_TERMS}`,
  tag: 'Search',
  scope: 'export',
  parameters: { ...parameters, ...listExportParameters },
  success: fileSuccess,
  handle: async (context) => {
    const { plan, signal, parameters: asked } = context;
    const query = toRootQuery({ ...asked, page: 1, limit: 1 });
    const view = openRequestedView(context, query.search);
    return await answerListExport(context, view, () => {
      const rootPlan = planRoots(query, { plan, published: view?.periods ?? [] });
      const { window } = rootPlan.search;
      return {
        ...{ name: `${asked.query.join(' ')} roots`, sheetName: 'Roots', title: 'Words and phrases', columns: COLUMNS },
        ...{ window, periods: window, slice: { offset: 0, limit: asked.limit } },
        readPage: async (slice) => {
          const search = { ...rootPlan.search, ...slice };
          return (await view?.listRoots({ ...rootPlan, search }, { signal })) ?? NO_TREND;
        },
        present: presentRoot,
      };
    });
  },
});
