import { periodKey } from '../../domain/period.ts';
import { visibleWindow } from '../../domain/plan.ts';
import { rankColumn, textColumn } from '../../export/columns.ts';
import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileFormat, fileSuccess } from './file-answer.ts';
import { answerListExport } from './list-export.ts';
import { trackedSet } from './tracked-keyword.ts';
import { listProducts, trackedProductParameters } from './tracked-products.ts';

type Tracked = Awaited<ReturnType<typeof listProducts>>[number];

const COLUMNS = [
  textColumn({ label: 'ASIN', field: 'asin', widthCharacters: 14 }),
  textColumn({ label: 'Title', field: 'title', widthCharacters: 48 }),
  textColumn({ label: 'Notes', field: 'notes', widthCharacters: 32 }),
  textColumn({ label: 'Active', field: 'is_active', widthCharacters: 11.5, type: 'flag' }),
  textColumn({ label: 'Period', field: 'period', widthCharacters: 11.5 }),
  rankColumn({ label: 'Keywords', field: 'keywords' }),
  rankColumn({ label: 'Keywords before', field: 'previous_keywords' }),
  rankColumn({ label: 'Entered', field: 'entered' }),
  rankColumn({ label: 'Left', field: 'left' }),
  rankColumn({ label: 'Other place', field: 'place' }),
  textColumn({ label: 'Added at', field: 'created_at', widthCharacters: 26 }),
  textColumn({ label: 'Id', field: 'id', widthCharacters: 38 }),
];

/** The scope is that of the list: a key for exports alone must not see what a user tracks. */
export const exportTrackedProducts = defineEndpoint({
  method: 'GET',
  path: '/v1/tracked-products/export',
  operationId: 'exportTrackedProducts',
  summary: 'Export tracked products',
  description: `The elements of the same list, in the same order, as a file. ${EXPORT_TERMS}`,
  tag: 'Tracked products',
  scope: 'tracked:read',
  action: 'export',
  parameters: { ...trackedProductParameters, file_format: fileFormat },
  success: fileSuccess,
  handle: async (context) => {
    const { caller, parameters, plan, resources } = context;
    const view = resources.ranks.openView(trackedSet(resources), caller.organizationId);
    return await answerListExport({ ...context, parameters: { ...parameters, limit: undefined } }, view, async () => {
      const rows = await listProducts(context);
      const window = visibleWindow({ plan, frequency: 'monthly', published: view?.periods ?? [] });
      return {
        ...{ name: 'tracked-products', sheetName: 'Tracked', title: 'Tracked products', columns: COLUMNS },
        ...{ window, periods: window.filter((period) => periodKey(period) === rows[0]?.snapshot.period) },
        slice: { offset: 0, limit: undefined },
        readPage: async ({ offset, limit }) => ({ totalCount: rows.length, rows: rows.slice(offset, offset + limit) }),
        present: (row) => row,
        flatten: (wire) => flattenTracked(wire as unknown as Tracked),
      };
    });
  },
});

function flattenTracked({ snapshot, ...product }: Tracked) {
  return { ...product, ...snapshot };
}
