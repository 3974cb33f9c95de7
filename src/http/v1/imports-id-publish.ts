import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';
import { findImport } from './found-import.ts';
import { IMPORT, ImportSchema, presentImport } from './import-fields.ts';

export const publishImport = defineEndpoint({
  method: 'POST',
  path: '/v1/imports/{id}/publish',
  operationId: 'publishImport',
  summary: 'Publish an import',
  description:
    'Publishes the periods of a file that was checked. No request body. The answer comes at once; the import is `done` when every period is ' +
    'published, or `failed`, with the reason.',
  tag: 'Imports',
  scope: 'import',
  action: 'operate',
  access: 'member',
  item: IMPORT,
  parameters: {},
  codes: ['CONFLICT'],
  success: jsonSuccess({ data: ImportSchema }),
  handle: async (context) => {
    const { caller, resources } = context;
    const approved = await resources.reportImports.publish(await findImport(context), caller);
    return answerJson({ data: presentImport(approved) });
  },
});
