import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';
import { findImport } from './found-import.ts';
import { IMPORT, ImportSchema, presentImport } from './import-fields.ts';

export const undoImport = defineEndpoint({
  method: 'POST',
  path: '/v1/imports/{id}/undo',
  operationId: 'undoImport',
  summary: 'Undo an import',
  description:
    'Takes back what an import published: what it replaced comes back as a new revision, and a period that was new is withdrawn. No request ' +
    'body. A period is taken back only while the revision of this import is the newest; otherwise the import stays `done`, with the reason in ' +
    '`fault`.',
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
    const requested = await resources.reportImports.undo(await findImport(context), caller);
    return answerJson({ data: presentImport(requested) });
  },
});
