import { HELD_ORDERS, type HeldOrder } from '../../domain/holder.ts';
import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { answerHeldExport } from './held-keywords-export.ts';
import { presentProductKeyword } from './holder-answer.ts';
import { asinInPath, heldExportParameters } from './holder-parameters.ts';

export const exportProductKeywords = defineEndpoint({
  method: 'GET',
  path: '/v1/products/{asin}/keywords/export',
  operationId: 'exportProductKeywords',
  summary: 'Export keywords of a product',
  description: `The elements of the same list, in the same order, as a file. ${EXPORT_TERMS}`,
  tag: 'Products',
  scope: 'export',
  pathParameter: asinInPath,
  parameters: heldExportParameters(Object.keys(HELD_ORDERS) as HeldOrder[]),
  success: fileSuccess,
  codes: ['NOT_FOUND'],
  handle: async (request) =>
    await answerHeldExport(request, {
      holder: { kind: 'product', asin: request.id },
      name: `The product ${request.id}`,
      present: presentProductKeyword,
    }),
});
