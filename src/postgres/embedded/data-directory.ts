import { access, chmod, constants, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { errorCode, errorMessage } from '../../domain/error-code.ts';

/**
 * Makes the data directory if only its last part is missing: a missing parent is more likely a typing error or a disk
 * that is not mounted. It holds key hashes and mail addresses, so a new one is closed to other users; one that is there
 * keeps the mode that the operator gave it.
 */
export async function openDataDirectory(path: string): Promise<string> {
  try {
    await mkdir(path);
    await chmod(path, 0o700);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw explain(path, error);
  }
  try {
    if (!(await stat(path)).isDirectory()) {
      throw new OperatorError(`The data directory ${path} is a file.`, { hint: 'Point KEYRANK_DATA_DIR at a folder.' });
    }
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(path);
  } catch (error) {
    throw error instanceof OperatorError ? error : explain(path, error);
  }
}

function explain(path: string, error: unknown): OperatorError {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new OperatorError(`The data directory ${path} cannot be made: ${dirname(path)} is not a folder.`, {
      hint: 'Make that folder, or point KEYRANK_DATA_DIR elsewhere.',
      cause: error,
    });
  }
  return new OperatorError(`The data directory ${path} is not writable: ${errorMessage(error)}.`, {
    hint: 'Give this user write access to it, or point KEYRANK_DATA_DIR elsewhere.',
    cause: error,
  });
}
