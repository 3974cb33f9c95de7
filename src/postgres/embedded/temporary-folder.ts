// Folders are made whole under a temporary name and then renamed. What a killed process leaves is swept by a later one.
import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../domain/error-code.ts';

/** Older than anything under a temporary name can live, so abandoned even when its process id is in use again. */
const ABANDONED_AFTER_MS = 10 * 60_000;

/** `.postgres-making-<process id>-<uuid>` */
const TEMPORARY_NAME = /^\.postgres-making-(\d+)-/;

export function temporaryPathIn(directory: string): string {
  return join(directory, `.postgres-making-${process.pid}-${randomUUID()}`);
}

/** Moves what is complete to its place. False when there is a directory already. */
export async function takesPlace(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

export async function sweepAbandoned(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const processId = TEMPORARY_NAME.exec(name)?.[1];
    if (processId === undefined) continue;
    const path = join(directory, name);
    if (isAlive(Number(processId)) && (await ageMsOf(path)) < ABANDONED_AFTER_MS) continue;
    // An initdb that outlived its killed parent may still be writing; what it leaves is swept next time.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function ageMsOf(path: string): Promise<number> {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch {
    // Its maker has just renamed or removed it.
    return 0;
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
