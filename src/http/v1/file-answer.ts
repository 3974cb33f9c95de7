// What every export shares: the forms of a file, a place among the organization's running exports, and the name it is saved under.
import { pipeline, type Readable, Transform } from 'node:stream';
import { Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import { MAX_RUNNING_EXPORTS } from '../../domain/export-gate.ts';
import { FILE_FORMATS, type FileFormat } from '../../domain/keyword-export.ts';
import { FILE_FORMS } from '../../export/export-file.ts';
import { attachmentHeader, type ExportFileName, exportFileName } from '../../export/file-name.ts';
import type { Answer, RequestContext } from '../endpoint.ts';
import { choice, type Parameters } from '../parameters.ts';

const RETRY_AFTER_BUSY_SECONDS = 5;

export const fileFormat = choice('Form of the file. Default: `xlsx`, or what the Accept header asks for.', {
  values: FILE_FORMATS,
  absent: undefined,
});

/** How an endpoint declares that it answers with a file. */
export const fileSuccess = {
  contentType: FILE_FORMS.xlsx.contentType,
  otherContentTypes: FILE_FORMATS.filter((format) => format !== 'xlsx').map((format) => FILE_FORMS[format].contentType),
  headerNames: ['Content-Disposition'],
  schema: Type.Unsafe({ type: 'string', format: 'binary' }),
};

export const EXPORT_TERMS =
  'Not counted in the hourly limit; counted on the exports meter. ' +
  `At most ${MAX_RUNNING_EXPORTS} at a time per organization, then 429.`;

type Question = Pick<RequestContext<Parameters>, 'caller' | 'resources' | 'accept'> & {
  readonly parameters: { readonly file_format: FileFormat | undefined };
};

/** The file is closed, and what it holds, when its stream closes, however it ends; also when it is not sent at all. */
export async function answerFile(
  { caller, resources, accept, parameters }: Question,
  file: {
    readonly name: Omit<ExportFileName, 'extension'>;
    /** Throws a RequestError when the export does not fit the form; rows are read when the stream is. */
    readonly open: (fileFormat: FileFormat, options: { readonly temporaryDirectory: string }) => Readable;
    /** What its rows are read from. */
    readonly held: Disposable | undefined;
  },
): Promise<Answer> {
  try {
    const format = parameters.file_format ?? acceptedFormat(accept);
    // Whatever the form refuses it refuses here, before a place is taken and counted.
    const body = file.open(format, { temporaryDirectory: resources.exportDirectory });
    const place = await resources.exports.enter(caller).catch((error: unknown) => {
      body.destroy();
      throw error;
    });
    if (!place) {
      body.destroy();
      throw tooManyExports();
    }
    body.once('close', () => file.held?.[Symbol.dispose]());
    const fileName = exportFileName({ ...file.name, extension: format });
    const { contentType } = FILE_FORMS[format];
    const headers = { 'content-disposition': attachmentHeader(fileName) };
    return { contentType, headers, body: givingBack(place, body) };
  } catch (error) {
    file.held?.[Symbol.dispose]();
    throw error;
  }
}

/** The same bytes. The place is given back before the last of them, so that whoever has a whole file may ask for the next at once. */
function givingBack(place: AsyncDisposable, body: Readable): Readable {
  let isGiven = false;
  const give = async () => {
    if (isGiven) return;
    isGiven = true;
    await place[Symbol.asyncDispose]();
  };
  const sent = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush: (done) => void give().then(() => done(), done),
  });
  // However it ends, both streams end alike.
  pipeline(body, sent, () => void give());
  return sent;
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
