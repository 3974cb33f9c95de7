import { BRAND_ORDERS, brandHolder } from '../../domain/holder.ts';
import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { answerHeldExport } from './held-keywords-export.ts';
import { presentBrandKeyword } from './holder-answer.ts';
import { brandInPath, heldExportParameters } from './holder-parameters.ts';

export const exportBrandKeywords = defineEndpoint({
  method: 'GET',
  path: '/v1/brands/{name}/keywords/export',
  operationId: 'exportBrandKeywords',
  summary: 'Export keywords of a brand',
  description: `The elements of the same list, in the same order, as a file. ${EXPORT_TERMS}`,
  tag: 'Products',
  scope: 'export',
  pathParameter: brandInPath,
  parameters: heldExportParameters(BRAND_ORDERS),
  success: fileSuccess,
  codes: ['NOT_FOUND'],
  handle: async (request) =>
    await answerHeldExport(request, {
      holder: brandHolder(request.id),
      name: 'This brand',
      present: presentBrandKeyword,
    }),
});
