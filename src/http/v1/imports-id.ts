import { changesBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';
import { findImport } from './found-import.ts';
import { IMPORT, ImportSchema, importChoiceFields, presentImport } from './import-fields.ts';

const success = jsonSuccess({ data: ImportSchema });

export const getImport = defineEndpoint({
  method: 'GET',
  path: '/v1/imports/{id}',
  operationId: 'getImport',
  summary: 'Read an import',
  description:
    'How far an import is, what the check found, and what was published. Ask every second while its state is `uploaded`, `checking`, ' +
    '`approved`, `importing`, `undo_requested` or `undoing`; the others stay until somebody does something.',
  tag: 'Imports',
  scope: 'import',
  action: 'operate',
  access: 'member',
  item: IMPORT,
  parameters: {},
  success,
  handle: async (context) => answerJson({ data: presentImport(await findImport(context)) }),
});

export const changeImport = defineEndpoint({
  method: 'PATCH',
  path: '/v1/imports/{id}',
  operationId: 'changeImport',
  summary: 'Change an import',
  description:
    'Changes how the file is read, and leaves what is not given as it is. One that was checked, or failed, is checked again.',
  tag: 'Imports',
  scope: 'import',
  action: 'operate',
  access: 'member',
  item: IMPORT,
  parameters: {},
  body: changesBody(importChoiceFields, {
    moreRejects: { max_rejects: 5 },
    asAnother: { marketplace: 'DE', type: 'weekly', period: '28-2026' },
  }),
  codes: ['CONFLICT'],
  success,
  handle: async (context) => {
    const { body, resources } = context;
    const { type: frequency, max_rejects: maxRejects, replace_smaller: replacesSmaller, ...rest } = body;
    const { publish_when_clean: publishesWhenClean, marketplace, period, source } = rest;
    const choices = { marketplace, frequency, period, source, maxRejects, replacesSmaller, publishesWhenClean };
    const given = Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined));
    const changed = await resources.reportImports.change(await findImport(context), given);
    return answerJson({ data: presentImport(changed) });
  },
});

export const cancelImport = defineEndpoint({
  method: 'DELETE',
  path: '/v1/imports/{id}',
  operationId: 'cancelImport',
  summary: 'Cancel an import',
  description:
    'Ends an import that has not begun to publish, and removes its file. It stays in the list as `cancelled`. What was published is undone ' +
    'with `/v1/imports/{id}/undo`.',
  tag: 'Imports',
  scope: 'import',
  action: 'operate',
  access: 'member',
  item: IMPORT,
  parameters: {},
  codes: ['CONFLICT'],
  success,
  handle: async (context) => {
    const cancelled = await context.resources.reportImports.cancel(await findImport(context));
    return answerJson({ data: presentImport(cancelled) });
  },
});
