import { MAX_PART_BYTES } from '../../domain/report-import.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';
import { findImport } from './found-import.ts';
import { IMPORT, ImportSchema, presentImport } from './import-fields.ts';

export const sendImportPart = defineEndpoint({
  method: 'PATCH',
  path: '/v1/imports/{id}/content',
  operationId: 'sendImportPart',
  summary: 'Send a part of the file',
  description:
    `Takes up to ${MAX_PART_BYTES / 1024 / 1024} MiB of the file of an import, as they are. A part counts when all of it lies on the disk; ` +
    'of one that breaks off nothing is kept. After a pause, or a 409, read the import and go on from `uploaded_bytes`. Parts go one after ' +
    'the other: one that begins elsewhere, or comes while another is on its way, is a 409. Servers with an object storage all take them; ' +
    'without one all parts go to the same server.',
  tag: 'Imports',
  scope: 'import',
  action: 'operate',
  access: 'member',
  item: IMPORT,
  parameters: {},
  takesPart: { maxBytes: MAX_PART_BYTES },
  codes: ['CONFLICT'],
  success: { ...jsonSuccess({ data: ImportSchema }), headerNames: ['Upload-Offset'] },
  handle: async (context) => {
    const { part, resources } = context;
    if (!part) throw new Error('the part was not opened');
    const received = await resources.reportImports.receive(await findImport(context), part);
    return {
      ...answerJson({ data: presentImport(received) }),
      headers: { 'upload-offset': String(received.uploadedBytes) },
    };
  },
});
