// Files that are being sent, each in a folder named for its import. A part is written behind what is there already and counts once it
// is on the disk; what a part that broke off has left is written over by the next one.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../domain/error-code.ts';
import type { KeptPart, UploadPlace } from '../domain/import-rows.ts';
import type { ImportReport } from '../domain/report-import.ts';
import type { NamedUpload, ReceivedPart, UploadFiles, WholeUpload } from './upload-files.ts';

const PLACE_FILE = 'place';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class UploadFolder implements UploadFiles {
  readonly #directory: string;
  readonly place: UploadPlace;
  readonly areElsewhere = false;

  private constructor(directory: string, place: UploadPlace) {
    this.#directory = directory;
    this.place = place;
  }

  /** Servers that share a data directory share its uploads. */
  static async open(directory: string): Promise<UploadFolder> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return new UploadFolder(directory, { id: await readPlace(join(directory, PLACE_FILE)), host: hostname() });
  }

  pathOf({ id, fileName }: NamedUpload): string {
    return join(this.#directory, id, fileName);
  }

  /** The next part is written behind it, or over what is left of one that broke off. */
  async write(file: NamedUpload, { offset, bytes, check }: ReceivedPart): Promise<KeptPart> {
    await mkdir(join(this.#directory, file.id), { recursive: true, mode: 0o700 });
    await using handle = await openForWriting(this.pathOf(file));
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of bytes) {
      hash.update(chunk);
      let written = 0;
      while (written < chunk.length) {
        const { bytesWritten } = await handle.write(chunk, written, chunk.length - written, offset + length + written);
        written += bytesWritten;
      }
      length += chunk.length;
    }
    const part = { sizeBytes: length, sha256: hash.digest(), object: null };
    check(part);
    await handle.datasync();
    return part;
  }

  /** Cuts off what a part that broke off has left behind the end. */
  async finish(
    file: WholeUpload,
    { hashes }: Parameters<UploadFiles['finish']>[1],
  ): Promise<{ readonly path: string; readonly sha256: string }> {
    const path = this.pathOf(file);
    await using handle = await open(path, 'r+');
    const { size } = await handle.stat();
    if (size > file.sizeBytes) await handle.truncate(file.sizeBytes);
    return { path, sha256: hashes ? await checksumOf(path) : '' };
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.#directory, id), { recursive: true, force: true });
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#directory);
    return bavail * bsize;
  }

  /** They lie where whoever asks for them is led to. */
  async keepRejects(_id: string, report: ImportReport): Promise<ImportReport> {
    return report;
  }

  async fetchRejects(): Promise<undefined> {
    return undefined;
  }

  async sweep(list: Parameters<UploadFiles['sweep']>[0]): Promise<void> {
    // In this order: the folder of an import that is made meanwhile is not among the names.
    const names = await readdir(this.#directory);
    const kept = await list.kept();
    for (const name of names) if (UUID.test(name) && !kept.has(name)) await this.remove(name);
  }
}

/** SHA-256 as 64 lower-case hexadecimal digits. */
export async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function openForWriting(path: string) {
  // Never 'a': it would ignore the position. A file that is there keeps what it holds.
  return await open(path, 'r+').catch(async (error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return await open(path, 'wx+', 0o600);
  });
}

async function readPlace(path: string): Promise<string> {
  const made = randomUUID();
  const isFirst = await writeFile(path, made, { flag: 'wx', mode: 0o600 }).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    },
  );
  const known = isFirst ? made : (await readFile(path, 'utf8')).trim();
  if (UUID.test(known)) return known;
  // Whoever wrote it died half-way.
  await writeFile(path, made);
  return made;
}
