// What the endpoints of imports do: the rules of sending a file in parts, and which step may follow which.
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Tenant, UserId } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import { errorCode } from '../domain/error-code.ts';
import type { ImportRows, KeptPart, OpenUploads } from '../domain/import-rows.ts';
import {
  checkChoices,
  type ImportState,
  MAX_OPEN_IMPORTS,
  MAX_PART_BYTES,
  MAX_RUNNING_PARTS,
  type NewImport,
  type ReportImport,
  type ReportImports,
  type SentPart,
  undoable,
} from '../domain/report-import.ts';
import type { UploadFiles } from './upload-files.ts';

export interface UploadLimits {
  /** Of one file. */
  readonly fileBytes: number;
  /** Of all files that are not imported yet, over all servers. */
  readonly totalBytes: number;
  /** What uploads leave free on the disk. */
  readonly freeBytes: number;
}

export interface ReportUploadsOptions {
  readonly rows: ImportRows;
  readonly files: UploadFiles;
  readonly limits: UploadLimits;
  /** In which imports write their rejects. */
  readonly dataDirectory: string;
  /** There is work for the worker. */
  readonly onWork: () => void;
}

const IMPORT_ID = /^[0-9A-Za-z-]{1,80}$/;
const FULL_RETRY_SECONDS = 60;

export class ReportUploads implements ReportImports {
  readonly #options: ReportUploadsOptions;
  #runningParts = 0;

  constructor(options: ReportUploadsOptions) {
    this.#options = options;
  }

  async create(given: NewImport, by: UserId): Promise<ReportImport> {
    const { rows, files, limits } = this.#options;
    checkChoices(given);
    if (given.sizeBytes > limits.fileBytes) {
      throw new RequestError(
        'PAYLOAD_TOO_LARGE',
        `The file has ${megabytes(given.sizeBytes)}, and at most ${megabytes(limits.fileBytes)} are taken.`,
        'Send it compressed with gzip, or let the operator raise KEYRANK_UPLOAD_MAX_MB.',
      );
    }
    const freeBytes = await files.freeBytes();
    const check = (open: OpenUploads) => {
      const missingBytesHere = files.areElsewhere ? 0 : open.missingBytesHere;
      checkRoom(given, { open: { ...open, missingBytesHere }, limits, freeBytes });
    };
    return await rows.add(given, { userId: by, place: files.place, check });
  }

  async list(slice: Parameters<ReportImports['list']>[0]) {
    return await this.#options.rows.list(slice);
  }

  async find(id: string): Promise<ReportImport | undefined> {
    return await this.#options.rows.find(id);
  }

  async receive(found: ReportImport, part: SentPart): Promise<ReportImport> {
    this.#checkPart(found, part);
    const { rows, onWork } = this.#options;
    const lease = await rows.claimPart(found.id, part.offset);
    if (lease === undefined) throw await this.#whyNotNow(found.id, part.offset);
    this.#runningParts += 1;
    let kept: ReportImport | undefined;
    try {
      kept = await rows.keepPart(lease, await this.#write(found, part));
    } finally {
      this.#runningParts -= 1;
      // A part that broke off may be sent again at once.
      if (!kept) await rows.giveUpPart(lease).catch(() => {});
    }
    if (!kept) throw notNow('The import was changed while the part was on its way.');
    if (kept.state === 'uploaded') onWork();
    return kept;
  }

  async change(found: ReportImport, choices: Parameters<ReportImports['change']>[1]): Promise<ReportImport> {
    checkChoices({ ...found, ...choices });
    const { uploadedBytes, sizeBytes } = found;
    const isWhole = uploadedBytes === sizeBytes;
    const from: readonly ImportState[] = isWhole ? ['checked', 'failed'] : ['uploading'];
    const moved = await this.#move(found, { from, to: isWhole ? 'uploaded' : 'uploading', choices });
    this.#options.onWork();
    return moved;
  }

  async publish(found: ReportImport, by: Tenant): Promise<ReportImport> {
    return await this.#hand(found, { from: ['checked'], to: 'approved' }, { action: 'import.publish', by });
  }

  async undo(found: ReportImport, by: Tenant): Promise<ReportImport> {
    if (found.state === 'done' && undoable(found).length === 0) {
      throw new RequestError('CONFLICT', 'The import published nothing.', 'There is nothing to undo.');
    }
    return await this.#hand(found, { from: ['done'], to: 'undo_requested' }, { action: 'import.undo', by });
  }

  async cancel(found: ReportImport): Promise<ReportImport> {
    const from: ImportState[] = ['uploading', 'uploaded', 'checking', 'checked', 'approved', 'failed'];
    const moved = await this.#move(found, { from, to: 'cancelled' });
    await this.#options.files.remove(found.id);
    return moved;
  }

  async openRejects({ report, place }: ReportImport): Promise<AsyncIterable<Uint8Array>> {
    const { dataDirectory, files } = this.#options;
    const gone = new RequestError('NOT_FOUND', 'There are no rejects of this import.', 'They are kept for 30 days.');
    if (!report?.has_rejects_file || !IMPORT_ID.test(report.import_id)) throw gone;
    if (place !== files.place.id) throw this.#elsewhere();
    const copy = await files.fetchRejects(report);
    const path = copy ?? join(dataDirectory, 'imports', report.import_id, 'rejects.csv');
    const handle = await open(path).catch((error: unknown) => {
      throw errorCode(error) === 'ENOENT' ? gone : error;
    });
    // What is open can be read to its end.
    if (copy !== undefined) await rm(dirname(copy), { recursive: true, force: true });
    return createReadStream('', { fd: handle });
  }

  async #hand(
    found: ReportImport,
    change: { readonly from: readonly ImportState[]; readonly to: ImportState },
    audit: { readonly action: string; readonly by: Tenant },
  ): Promise<ReportImport> {
    const moved = await this.#move(found, change, audit);
    this.#options.onWork();
    return moved;
  }

  async #move(
    found: ReportImport,
    change: Parameters<ImportRows['move']>[1],
    audit?: Parameters<ImportRows['move']>[2],
  ): Promise<ReportImport> {
    const { rows } = this.#options;
    const moved = await rows.move(found.id, change, audit);
    if (moved) return moved;
    const { state } = (await rows.find(found.id)) ?? found;
    throw new RequestError(
      'CONFLICT',
      `The import is in the state '${state}', which does not allow this.`,
      `It is possible in: ${change.from.join(', ')}. Nothing was changed.`,
    );
  }

  #checkPart(found: ReportImport, { offset, declaredBytes }: SentPart): void {
    if (found.place !== this.#options.files.place.id) throw this.#elsewhere(found.host);
    if (found.state !== 'uploading') {
      throw new RequestError(
        'CONFLICT',
        `The import is in the state '${found.state}' and takes no parts.`,
        found.uploadedBytes === found.sizeBytes ? 'The whole file has arrived.' : 'Make another import for the file.',
      );
    }
    if (offset !== found.uploadedBytes) throw wrongOffset(found, offset);
    if (declaredBytes !== undefined && offset + declaredBytes > found.sizeBytes) throw tooLong(found);
    if (this.#runningParts < MAX_RUNNING_PARTS) return;
    throw new RequestError('SERVICE_UNAVAILABLE', 'Too many files are being sent.', 'Try again in a moment.', {
      retryAfterSeconds: 2,
    });
  }

  async #write(found: ReportImport, { offset, bytes, sha256 }: SentPart): Promise<KeptPart> {
    const { files, limits } = this.#options;
    if ((await files.freeBytes()) < limits.freeBytes) throw diskFull();
    const maxBytes = Math.min(MAX_PART_BYTES, found.sizeBytes - offset);
    const check = (part: Pick<KeptPart, 'sizeBytes' | 'sha256'>) => checkWritten(part, sha256);
    return await files
      .write(found, { offset, bytes: atMost(bytes, maxBytes, found), check })
      .catch((error: unknown) => {
        throw ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(errorCode(error) ?? '') ? diskFull() : error;
      });
  }

  async #whyNotNow(id: string, offset: number): Promise<RequestError> {
    const now = await this.#options.rows.find(id);
    if (now?.state === 'uploading' && now.uploadedBytes !== offset) return wrongOffset(now, offset);
    return notNow('Another part of this file is on its way.');
  }

  #elsewhere(host?: string): RequestError {
    const where = host === undefined ? '' : ` (${host})`;
    return new RequestError(
      'CONFLICT',
      `The file of this import lies on another server${where}.`,
      'Let the proxy send all requests for an import to one server, or make the import again on this one.',
    );
  }
}

function checkRoom(
  { sizeBytes }: NewImport,
  { open, limits, freeBytes }: { open: OpenUploads; limits: UploadLimits; freeBytes: number },
): void {
  const refuse = (message: string) => {
    throw new RequestError('CONFLICT', message, 'Cancel or publish what is waiting first; nothing was changed.');
  };
  if (open.count >= MAX_OPEN_IMPORTS)
    refuse(`There are ${MAX_OPEN_IMPORTS} imports that are not over, and no more are taken.`);
  if (open.bytes + sizeBytes > limits.totalBytes) {
    refuse(`All files together would have more than ${megabytes(limits.totalBytes)}.`);
  }
  if (freeBytes - open.missingBytesHere - sizeBytes < limits.freeBytes) {
    refuse(`The disk has no room for ${megabytes(sizeBytes)} more.`);
  }
}

function checkWritten(
  { sizeBytes, sha256 }: Pick<KeptPart, 'sizeBytes' | 'sha256'>,
  wanted: Uint8Array | undefined,
): void {
  if (sizeBytes === 0) {
    throw new RequestError('BAD_REQUEST', 'The part is empty.', 'Send the bytes of the file from Upload-Offset on.');
  }
  if (!wanted || Buffer.from(wanted).equals(sha256)) return;
  throw new RequestError(
    'BAD_REQUEST',
    'The part does not have the checksum of Upload-Checksum.',
    'It was damaged on the way, and nothing of it was kept: send it again.',
  );
}

async function* atMost(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  found: ReportImport,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > maxBytes) throw tooLong(found);
    yield chunk;
  }
}

function wrongOffset({ uploadedBytes }: ReportImport, offset: number): RequestError {
  return new RequestError(
    'CONFLICT',
    `The upload has reached byte ${uploadedBytes}, and the part begins at ${offset}.`,
    `Go on with Upload-Offset: ${uploadedBytes}.`,
  );
}

function tooLong({ sizeBytes }: ReportImport): RequestError {
  return new RequestError(
    'PAYLOAD_TOO_LARGE',
    `The part is longer than ${MAX_PART_BYTES} bytes, or than what is missing of the ${sizeBytes} bytes of the file.`,
    'Send parts of a few megabytes, and the last one as long as what is missing.',
  );
}

function notNow(message: string): RequestError {
  return new RequestError('CONFLICT', message, 'Ask for the import again and go on from uploaded_bytes.', {
    retryAfterSeconds: 1,
  });
}

function diskFull(): RequestError {
  return new RequestError(
    'SERVICE_UNAVAILABLE',
    'The disk of the server is full.',
    'Make room on it; then the upload goes on where it stopped.',
    { retryAfterSeconds: FULL_RETRY_SECONDS },
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString('en-US')} MB`;
}
