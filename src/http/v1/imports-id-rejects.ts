import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { attachmentHeader } from '../../export/file-name.ts';
import { defineEndpoint } from '../endpoint.ts';
import { findImport } from './found-import.ts';
import { IMPORT } from './import-fields.ts';

export const downloadImportRejects = defineEndpoint({
  method: 'GET',
  path: '/v1/imports/{id}/rejects',
  operationId: 'downloadImportRejects',
  summary: 'Download the rejects of an import',
  description:
    'The rows of the file that cannot be read, as CSV: `line`, `reason`, `search_term`, `detail`. Kept for 30 days, without an ' +
    'object storage on the server that the file was sent to.',
  tag: 'Imports',
  scope: 'import',
  action: 'operate',
  access: 'member',
  item: IMPORT,
  parameters: {},
  codes: ['CONFLICT'],
  success: {
    contentType: 'text/csv; charset=utf-8',
    headerNames: ['Content-Disposition'],
    schema: Type.Unsafe({ type: 'string' }),
  },
  handle: async (context) => {
    const found = await findImport(context);
    const body = Readable.from(await context.resources.reportImports.openRejects(found), { objectMode: false });
    const name = `${found.fileName.replace(/\.(csv|json|gz|txt)/gi, '')}-rejects.csv`;
    return {
      contentType: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': attachmentHeader(name) },
      body,
    };
  },
});
