// A backup of everything, while the service goes on: the tables as of one moment, and the files that were published at it.
// Imports wait meanwhile, because an import removes the files that it replaces.
import { rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { describeFile, makeDirectory, syncDirectory } from '../ingest/publish/durable-file.ts';
import { withImportLock } from '../postgres/import-lock.ts';
import { asOwner } from '../postgres/owner.ts';
import type { Queryable } from '../postgres/pool.ts';
import { listTables, readRows, readSchemaVersion, type Table } from '../postgres/table-rows.ts';
import {
  BACKUP_FORMAT,
  type BackedUpTable,
  type BackupContents,
  CONTENTS_NAME,
  FILES_DIRECTORY,
  tablePath,
} from './backup-contents.ts';
import { checkPlace } from './backup-place.ts';
import { type CopyRequest, copyFiles, openPrivately, within } from './file-copy.ts';

export interface BackupRequest extends CopyRequest {
  readonly version: string;
  readonly now: () => Date;
}

/** Leaves a whole backup under the name that was given, or nothing. */
export async function writeBackup(request: BackupRequest): Promise<BackupContents> {
  await checkPlace(request);
  // Without the slash that a shell's completion puts at its end.
  const directory = resolve(request.directory);
  const unfinished = `${directory}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await makeDirectory(unfinished, { isPrivate: true });
  try {
    const contents = await withImportLock(request.pool, request, () =>
      asOwner(request.server, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', (transaction) =>
        copyEverything(transaction, request, unfinished),
      ),
    );
    await rename(unfinished, directory);
    await syncDirectory(dirname(directory));
    return contents;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function copyEverything(
  transaction: Queryable,
  { files: rankFiles, dataDirectory, version, now, onProgress, signal }: BackupRequest,
  target: string,
): Promise<BackupContents> {
  const files = (await rankFiles?.list(transaction)) ?? [];
  const schemaVersion = await readSchemaVersion(transaction);
  const createdAt = now().toISOString();
  const tables: BackedUpTable[] = [];
  await makeDirectory(join(target, 'tables'), { isPrivate: true });
  for (const table of await listTables(transaction)) {
    signal?.throwIfAborted();
    tables.push(await writeTable(transaction, table, target));
  }
  const to = join(target, FILES_DIRECTORY);
  const fetch = rankFiles?.fetch;
  await copyFiles(files, { from: dataDirectory, to, isPrivate: true, onProgress, signal, fetch });
  const contents: BackupContents = { format: BACKUP_FORMAT, version, createdAt, schemaVersion, tables, files };
  await using file = await openPrivately(join(target, CONTENTS_NAME));
  await file.writeFile(`${JSON.stringify(contents, null, 2)}\n`);
  await file.sync();
  await syncDirectory(target);
  return contents;
}

async function writeTable(transaction: Queryable, table: Table, target: string): Promise<BackedUpTable> {
  const path = tablePath(table.name);
  const absolute = within(target, path);
  let rows = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const batch of readRows(transaction, table)) {
      rows += batch.length;
      yield batch.map((line) => `${line}\n`).join('');
    }
  }
  const file = await openPrivately(absolute);
  await pipeline(Readable.from(lines()), createGzip(), file.createWriteStream({ flush: true }));
  return { name: table.name, rows, file: { path, ...(await describeFile(absolute)) } };
}
