import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import { MAX_RUNNING_EXPORTS } from '../../domain/export-gate.ts';
import { FILE_FORMATS, type FileFormat } from '../../domain/keyword-export.ts';
import { FILE_FORMS } from '../../export/export-file.ts';
import { attachmentHeader, exportFileName } from '../../export/file-name.ts';
import { type Answer, defineEndpoint, type RequestContext } from '../endpoint.ts';
import { type PreparedExport, prepareExport } from './export-content.ts';
import { exportParameters } from './search-parameters.ts';

const RETRY_AFTER_BUSY_SECONDS = 5;

/** Spec 4.2. */
export const exportKeywords = defineEndpoint({
  method: 'GET',
  path: '/v1/search/keywords/export',
  operationId: 'exportKeywords',
  summary: 'Export keywords',
  description:
    'The rows of the same search, in the same order, as a spreadsheet. Not counted in the hourly limit; counted on the ' +
    `exports meter. At most ${MAX_RUNNING_EXPORTS} at a time per organization, then 429.`,
  tag: 'Search',
  scope: 'export',
  parameters: exportParameters,
  success: {
    contentType: FILE_FORMS.xlsx.contentType,
    otherContentTypes: FILE_FORMATS.filter((format) => format !== 'xlsx').map(
      (format) => FILE_FORMS[format].contentType,
    ),
    headerNames: ['Content-Disposition'],
    schema: Type.Unsafe({ type: 'string', format: 'binary' }),
  },
  handle: async (context) => {
    const { caller, parameters, plan, resources, signal } = context;
    const { ranks } = resources;
    const prepared = await prepareExport({
      parameters,
      plan,
      ranks,
      owner: caller.organizationId,
      now: resources.now(),
      signal,
    });
    try {
      const answer = await openExport(context, prepared);
      // From here on the stream closes the view, whatever becomes of it.
      answer.body.once('close', () => prepared[Symbol.dispose]());
      return answer;
    } catch (error) {
      prepared[Symbol.dispose]();
      throw error;
    }
  },
});

async function openExport(
  { parameters, caller, resources, accept }: RequestContext<typeof exportParameters>,
  prepared: PreparedExport,
): Promise<Answer & { readonly body: Readable }> {
  const fileFormat = parameters.file_format ?? acceptedFormat(accept);
  // Whatever the form refuses it refuses here, before a place is taken and counted.
  const body = prepared.open(fileFormat, { temporaryDirectory: resources.exportDirectory });
  const place = await resources.exports.enter(caller).catch((error: unknown) => {
    body.destroy();
    throw error;
  });
  if (!place) {
    body.destroy();
    throw tooManyExports();
  }
  body.once('close', () => void place[Symbol.asyncDispose]());
  const fileName = exportFileName({
    queries: parameters.query,
    frequency: parameters.type,
    latestPeriod: prepared.content.periods.at(-1),
    extension: fileFormat,
  });
  const { contentType } = FILE_FORMS[fileFormat];
  return { contentType, headers: { 'content-disposition': attachmentHeader(fileName) }, body };
}

function tooManyExports(): RequestError {
  return new RequestError(
    'RATE_LIMIT_EXCEEDED',
    `The organization has ${MAX_RUNNING_EXPORTS} exports running already.`,
    'Wait until one of them is done.',
    { retryAfterSeconds: RETRY_AFTER_BUSY_SECONDS },
  );
}

/** The Accept header decides only where no parameter does; a browser's list of everything means the spreadsheet. */
function acceptedFormat(accept: string | undefined): FileFormat {
  const wanted = (accept ?? '').toLowerCase();
  const bare = (contentType: string) => contentType.split(';', 1)[0] ?? '';
  return FILE_FORMATS.find((format) => wanted.startsWith(bare(FILE_FORMS[format].contentType))) ?? 'xlsx';
}
