// Brings a backup back into an empty service. Every file is compared with its checksum as it is copied, and the rows become
// visible in one transaction at the end: until then there is nothing to be seen, and after it everything.
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { OperatorError } from '../domain/error.ts';
import type { StoredFile } from '../domain/stored-file.ts';
import { describeFile } from '../ingest/publish/durable-file.ts';
import { withImportLock } from '../postgres/import-lock.ts';
import { asOwner } from '../postgres/owner.ts';
import type { Queryable } from '../postgres/pool.ts';
import { countRows, deleteRows, listTables, readSchemaVersion, type Table, writeRows } from '../postgres/table-rows.ts';
import { type BackedUpTable, type BackupContents, FILES_DIRECTORY, readContents } from './backup-contents.ts';
import { type CopyRequest, copyFiles, within } from './file-copy.ts';

const ROWS_PER_INSERT = 500;

export async function restoreBackup(request: CopyRequest): Promise<BackupContents> {
  const { files, directory, dataDirectory: to, onProgress, signal } = request;
  const contents = await readContents(directory);
  for (const { file } of contents.tables) await checkTableFile(directory, file);
  const from = join(directory, FILES_DIRECTORY);
  await withImportLock(request.pool, request, async () => {
    await asOwner(request.server, 'BEGIN', async (transaction) => {
      await checkSchema(transaction, contents);
      await checkEmpty(transaction);
      const steps = {
        fillTables: () => fillTables(transaction, directory, contents),
        copyFiles: () => copyFiles(contents.files, { from, to, isPrivate: false, onProgress, signal }),
      };
      await (files ? files.restore(transaction, steps) : steps.fillTables());
    });
    await files?.claimRestored();
  });
  return contents;
}

async function checkTableFile(directory: string, { path, ...expected }: StoredFile): Promise<void> {
  const found = await describeFile(within(directory, path)).catch(() => undefined);
  if (found?.sha256 === expected.sha256) return;
  throw new OperatorError(`${within(directory, path)} is missing or damaged.`, { hint: 'Use another backup.' });
}

async function checkSchema(transaction: Queryable, { schemaVersion, version }: BackupContents): Promise<void> {
  const current = await readSchemaVersion(transaction);
  if (current === schemaVersion) return;
  throw new OperatorError(`The backup is of schema ${schemaVersion}; this version of keyrank has schema ${current}.`, {
    hint: `Restore it with keyrank ${version}, then upgrade.`,
  });
}

/** What an operator would miss. A server that was only started has none of it. */
const WORTH_KEEPING: readonly (readonly [table: string, name: string])[] = [
  ['organizations', 'organizations'],
  ['users', 'users'],
  ['rank_periods', 'published periods'],
  ['audit_log', 'entries in the audit log'],
];

/** A restore never mixes with what is there. */
async function checkEmpty(transaction: Queryable): Promise<void> {
  const tables = await listTables(transaction);
  const found: string[] = [];
  for (const [name, words] of WORTH_KEEPING) {
    const table = tables.find((each) => each.name === name);
    assert(table, `there is no table ${name}`);
    const count = await countRows(transaction, table);
    if (count > 0) found.push(`${count} ${words}`);
  }
  if (found.length === 0) return;
  throw new OperatorError(`A backup can be restored only where there is nothing yet. Here are ${found.join(', ')}.`, {
    hint: 'Set KEYRANK_DATA_DIR (and DATABASE_URL, where it is used) to a new directory and an empty database.',
  });
}

async function fillTables(transaction: Queryable, directory: string, { tables }: BackupContents): Promise<void> {
  const known = await listTables(transaction);
  // Tables that triggers fill are in the backup themselves.
  await transaction.query("SELECT set_config('keyrank.is_restoring', 'true', true)");
  for (const table of known.toReversed()) await deleteRows(transaction, table);
  for (const table of known) await fillTable(transaction, { table, directory, tables });
}

async function fillTable(
  transaction: Queryable,
  given: { readonly table: Table; readonly directory: string; readonly tables: readonly BackedUpTable[] },
): Promise<void> {
  const { name } = given.table;
  const saved = given.tables.find((candidate) => candidate.name === name);
  if (!saved) throw new OperatorError(`The backup lacks the table ${name}.`, { hint: 'Use another backup.' });
  const rows = await writeRows(transaction, given.table, readLines(within(given.directory, saved.file.path)));
  if (rows !== saved.rows) throw new Error(`${rows} of ${saved.rows} rows of ${name} were restored`);
}

async function* readLines(path: string): AsyncGenerator<readonly string[]> {
  const file = createReadStream(path);
  const text = createGunzip();
  file.on('error', (error) => text.destroy(error)).pipe(text);
  // Not readline, which also ends a line at U+2028: that is a letter like any other within a term.
  let batch: string[] = [];
  let rest = '';
  for await (const piece of text.setEncoding('utf8')) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    batch.push(...lines);
    if (batch.length < ROWS_PER_INSERT) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
