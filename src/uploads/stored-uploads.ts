// Uploads of servers that share an object storage and no disk. Each part is an object of its own, written down in the database with its
// checksum once the storage has it; whichever server works on the import puts them together in its data directory, which is a cache.
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RequestError } from '../domain/error.ts';
import { ifMissing } from '../domain/error-code.ts';
import { type FileStore, StoreFault } from '../domain/file-store.ts';
import type { KeptPart, StoredPart } from '../domain/import-rows.ts';
import type { ImportReport } from '../domain/report-import.ts';
import type { StoredFile } from '../domain/stored-file.ts';
import type { NamedUpload, ReceivedPart, UploadFiles, WholeUpload } from './upload-files.ts';
import { checksumOf, type UploadFolder } from './upload-folder.ts';

/** Of all servers with one database: it knows which storage they use. */
const STORAGE_PLACE = '00000000-0000-0000-0000-000000000000';
const UPLOADS = 'uploads/';
const REJECTS = 'rejects/';
/** Together with the time that a part may take to come here, less than the lease of a part. */
const SEND_TIMEOUT_MS = 25_000;
const RETRY_AFTER_SECONDS = 5;

export interface StoredUploadsOptions {
  /** In `uploads/` of the data directory. */
  readonly folder: UploadFolder;
  readonly dataDirectory: string;
  readonly store: FileStore;
  /** In their order. */
  readonly listParts: (id: string) => Promise<readonly StoredPart[]>;
  readonly onError: (error: unknown) => void;
}

export class StoredUploads implements UploadFiles {
  readonly place = { id: STORAGE_PLACE, host: hostname() };
  readonly areElsewhere = true;
  readonly #options: StoredUploadsOptions;

  constructor(options: StoredUploadsOptions) {
    this.#options = options;
  }

  async write({ id }: NamedUpload, { offset, ...part }: ReceivedPart): Promise<KeptPart> {
    const { folder, store, onError } = this.#options;
    // Never the same name twice: a part that broke off may have come to the storage.
    const fileName = `${offset}-${randomUUID()}`;
    const object = `${UPLOADS}${id}/${fileName}`;
    try {
      const { sizeBytes, sha256 } = await folder.write({ id, fileName }, { ...part, offset: 0 });
      const file = { path: object, object, sizeBytes, sha256: Buffer.from(sha256).toString('hex') };
      await store.put([file], { signal: AbortSignal.timeout(SEND_TIMEOUT_MS) }).catch((error: unknown) => {
        onError(error);
        throw asRefusal(error);
      });
      return { sizeBytes, sha256, object };
    } finally {
      await rm(folder.pathOf({ id, fileName }), { force: true });
    }
  }

  async finish(
    file: WholeUpload,
    { hashes, signal, onBytes }: Parameters<UploadFiles['finish']>[1],
  ): Promise<{ readonly path: string; readonly sha256: string }> {
    const path = this.#options.folder.pathOf(file);
    // Under its name it is whole.
    const found = await stat(path).catch(ifMissing(undefined));
    if (found?.size !== file.sizeBytes) await this.#putTogether(file, { path, signal, onBytes });
    return { path, sha256: hashes ? await checksumOf(path) : '' };
  }

  async remove(id: string): Promise<void> {
    const { folder, onError } = this.#options;
    await folder.remove(id);
    // What the storage keeps for now is swept later.
    await this.#removeObjects(`${UPLOADS}${id}/`, () => false).catch((error: unknown) => {
      if (!(error instanceof StoreFault)) throw error;
      onError(error);
    });
  }

  async freeBytes(): Promise<number> {
    return await this.#options.folder.freeBytes();
  }

  /** What cannot be kept is not offered: the import itself is none the worse. */
  async keepRejects(id: string, report: ImportReport): Promise<ImportReport> {
    if (!report.has_rejects_file) return report;
    const { dataDirectory, store, onError } = this.#options;
    const path = `imports/${report.import_id}/rejects.csv`;
    try {
      const local = join(dataDirectory, path);
      const { size: sizeBytes } = await stat(local);
      const file = {
        path,
        object: `${REJECTS}${id}/${report.import_id}.csv`,
        sizeBytes,
        sha256: await checksumOf(local),
      };
      await store.put([file]);
      await rm(local);
      return { ...report, stored_rejects: file };
    } catch (error) {
      onError(error);
      return { ...report, has_rejects_file: false };
    }
  }

  async fetchRejects({ stored_rejects: file }: ImportReport): Promise<string | undefined> {
    const { store, dataDirectory } = this.#options;
    if (!file) return undefined;
    // A folder that is left is swept as those of uploads are.
    const path = `${UPLOADS}${randomUUID()}/rejects.csv`;
    await store
      .ensure([{ ...file, path }], { signal: AbortSignal.timeout(SEND_TIMEOUT_MS) })
      .catch((error: unknown) => {
        if (!(error instanceof StoreFault) || error.kind !== 'lost') throw asRefusal(error);
      });
    return join(dataDirectory, path);
  }

  async sweep({ kept, withRejects }: Parameters<UploadFiles['sweep']>[0]): Promise<void> {
    await this.#options.folder.sweep({ kept, withRejects });
    for (const [prefix, list] of [
      [UPLOADS, kept],
      [REJECTS, withRejects],
    ] as const) {
      let ids: ReadonlySet<string> | undefined;
      await this.#removeObjects(prefix, async (name) => {
        // Asked after the objects were listed: those of an import that is made meanwhile are not among them.
        ids ??= await list();
        return ids.has(name.slice(prefix.length).split('/', 1)[0] ?? '');
      });
    }
  }

  async #removeObjects(prefix: string, isKept: (name: string) => boolean | Promise<boolean>): Promise<void> {
    const { store } = this.#options;
    const names: string[] = [];
    for (const { name } of await store.list([prefix])) if (!(await isKept(name))) names.push(name);
    await store.remove(names);
  }

  async #putTogether(
    { id, sizeBytes }: WholeUpload,
    {
      path,
      signal,
      onBytes,
    }: { path: string; signal: AbortSignal | undefined; onBytes: ((bytes: number) => void) | undefined },
  ): Promise<void> {
    const { store, dataDirectory, listParts } = this.#options;
    const parts = await listParts(id);
    const whole = join(dirname(path), randomUUID());
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      let bytesDone = 0;
      for (const part of parts) {
        if (part.firstByte !== bytesDone) throw new Error(`the parts of import ${id} have a gap at byte ${bytesDone}`);
        const file: StoredFile = { ...part, path: `${UPLOADS}${id}/${randomUUID()}-${basename(part.object)}` };
        await store.ensure([file], { signal });
        const local = join(dataDirectory, file.path);
        await pipeline(createReadStream(local), createWriteStream(whole, { flags: 'a', mode: 0o600 }), { signal });
        await rm(local);
        bytesDone += part.sizeBytes;
        onBytes?.(bytesDone);
      }
      if (bytesDone !== sizeBytes) throw new Error(`import ${id} has ${bytesDone} bytes instead of ${sizeBytes}`);
      await using handle = await open(whole, 'r+');
      await handle.sync();
      await rename(whole, path);
    } finally {
      await rm(whole, { force: true });
    }
  }
}

/** What a sender is told: it may pass. */
function asRefusal(error: unknown): unknown {
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  if (!isLate && !(error instanceof StoreFault)) return error;
  return new RequestError(
    'SERVICE_UNAVAILABLE',
    'The object storage of the service takes and gives nothing right now.',
    'Try again in a moment; what it took before stays.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
