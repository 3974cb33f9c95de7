// What a backup consists of: a directory with the rows of every table (tables/*.ndjson.gz), the published files as they lie
// in the data directory (files/), and backup.json, which names each of them with its size and checksum. It is written last.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../domain/error.ts';
import type { StoredFile } from '../domain/stored-file.ts';

export const CONTENTS_NAME = 'backup.json';
export const FILES_DIRECTORY = 'files';
export const BACKUP_FORMAT = 1;

export interface BackupContents {
  readonly format: typeof BACKUP_FORMAT;
  /** The version of keyrank that wrote it. */
  readonly version: string;
  readonly createdAt: string;
  /** Rows fit a database of this schema only. */
  readonly schemaVersion: number;
  readonly tables: readonly BackedUpTable[];
  readonly files: readonly StoredFile[];
}

export interface BackedUpTable {
  readonly name: string;
  readonly rows: number;
  /** Relative to the backup. */
  readonly file: StoredFile;
}

export function tablePath(name: string): string {
  return `tables/${name}.ndjson.gz`;
}

export async function readContents(directory: string): Promise<BackupContents> {
  const text = await readFile(join(directory, CONTENTS_NAME), 'utf8').catch((cause) => {
    throw new OperatorError(`There is no finished backup in ${directory}.`, {
      hint: `A backup is a directory with a ${CONTENTS_NAME}, made by keyrank backup.`,
      cause,
    });
  });
  const contents = parseContents(text);
  if (contents) return contents;
  throw new OperatorError(`${join(directory, CONTENTS_NAME)} is not one that this version of keyrank can read.`, {
    hint: 'Restore with the version that made the backup, then upgrade.',
  });
}

function parseContents(text: string): BackupContents | undefined {
  const contents = parseJson(text);
  if (contents?.format !== BACKUP_FORMAT) return undefined;
  const isWhole =
    typeof contents.schemaVersion === 'number' &&
    contents.tables.every(({ name, rows, file }) => Number.isInteger(rows) && file.path === tablePath(name)) &&
    contents.files.every(({ path }) => isDataPath(path));
  return isWhole ? contents : undefined;
}

function parseJson(text: string): BackupContents | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Nothing may be written outside of the places for published files, whatever a backup says. */
function isDataPath(path: unknown): boolean {
  if (typeof path !== 'string' || path.split('/').includes('..')) return false;
  return /^(segments|dictionaries|snapshots)\/[A-Za-z0-9._/-]+$/.test(path);
}
