import { Type } from 'typebox';
import { MAX_KEPT_IMPORTS, MAX_OPEN_IMPORTS, MAX_PART_BYTES } from '../../domain/report-import.ts';
import { objectBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, PaginationSchema, presentPagination } from '../schemas.ts';
import {
  DEFAULT_MAX_REJECTS,
  ImportSchema,
  newImportFields,
  presentImport,
  presentListedImport,
} from './import-fields.ts';
import { sliceParameters } from './lists.ts';

export const listImports = defineEndpoint({
  method: 'GET',
  path: '/v1/imports',
  operationId: 'listImports',
  summary: 'List imports',
  description:
    'Report files that operators sent, newest first, and what became of them. The last ' +
    `${MAX_KEPT_IMPORTS.toLocaleString('en-US')} are kept. What the command line imported stands in \`/v1/periods\` alone.`,
  tag: 'Imports',
  scope: 'import',
  action: 'operate',
  access: 'member',
  parameters: sliceParameters,
  success: jsonSuccess({ data: Type.Array(ImportSchema), pagination: PaginationSchema }),
  handle: async ({ parameters, resources }) => {
    const { items, totalCount } = await resources.reportImports.list(parameters);
    return answerJson({ data: items.map(presentListedImport), pagination: presentPagination(parameters, totalCount) });
  },
});

export const createImport = defineEndpoint({
  method: 'POST',
  path: '/v1/imports',
  operationId: 'createImport',
  summary: 'Begin an import',
  description:
    'Makes an import for a report file, plain or compressed with gzip. Its bytes follow in parts of up to ' +
    `${MAX_PART_BYTES / 1024 / 1024} MiB at \`/v1/imports/{id}/content\`. When all have come the file is checked and nothing is ` +
    `published; \`/v1/imports/{id}/publish\` does that. At most ${MAX_OPEN_IMPORTS} that are not over, of all operators together.`,
  tag: 'Imports',
  scope: 'import',
  action: 'operate',
  access: 'member',
  parameters: {},
  body: objectBody(newImportFields, {
    week: { file_name: 'US_Top_Search_Terms_Simple_Week_2026_07_11.csv.gz', size_bytes: 123_456_789 },
    social: {
      file_name: 'ranks.csv',
      size_bytes: 5_000_000,
      source: 'social',
      marketplace: 'US',
      publish_when_clean: true,
    },
  }),
  codes: ['CONFLICT'],
  success: { status: 201, ...jsonSuccess({ data: ImportSchema }) },
  handle: async ({ caller, body, resources }) => {
    const made = await resources.reportImports.create(
      {
        fileName: body.file_name,
        sizeBytes: body.size_bytes,
        sha256: body.sha256 ?? null,
        fingerprint: body.fingerprint ?? null,
        marketplace: body.marketplace ?? null,
        frequency: body.type ?? null,
        period: body.period ?? null,
        source: body.source ?? 'search',
        maxRejects: body.max_rejects ?? DEFAULT_MAX_REJECTS,
        replacesSmaller: body.replace_smaller ?? false,
        publishesWhenClean: body.publish_when_clean ?? false,
      },
      caller.userId,
    );
    return answerJson({ data: presentImport(made) });
  },
});
