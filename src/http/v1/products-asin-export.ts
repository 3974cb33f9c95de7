import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { answerHolderExport, holderExportParameters } from './holder-export.ts';
import { asinInPath } from './holder-parameters.ts';

export const exportProduct = defineEndpoint({
  method: 'GET',
  path: '/v1/products/{asin}/export',
  operationId: 'exportProduct',
  summary: 'Export a product over time',
  description: `The \`periods\` of the product as a file, a row for each visible period, oldest first. ${EXPORT_TERMS}`,
  tag: 'Products',
  scope: 'export',
  pathParameter: asinInPath,
  parameters: holderExportParameters,
  success: fileSuccess,
  codes: ['NOT_FOUND'],
  handle: async (request) =>
    await answerHolderExport(request, {
      holder: { kind: 'product', asin: request.id },
      name: `The product ${request.id}`,
    }),
});
