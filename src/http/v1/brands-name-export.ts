import { brandHolder } from '../../domain/holder.ts';
import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { answerHolderExport, holderExportParameters } from './holder-export.ts';
import { brandInPath } from './holder-parameters.ts';

export const exportBrand = defineEndpoint({
  method: 'GET',
  path: '/v1/brands/{name}/export',
  operationId: 'exportBrand',
  summary: 'Export a brand over time',
  description: `The \`periods\` of the brand as a file, a row for each visible period, oldest first. ${EXPORT_TERMS}`,
  tag: 'Products',
  scope: 'export',
  pathParameter: brandInPath,
  parameters: holderExportParameters,
  success: fileSuccess,
  codes: ['NOT_FOUND'],
  handle: async (request) => await answerHolderExport(request, { holder: brandHolder(request.id), name: 'This brand' }),
});
