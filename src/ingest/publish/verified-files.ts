import { OperatorError } from '../../domain/error.ts';
import { DATA_DIRECTORY_ALONE, type FileStore } from '../../domain/file-store.ts';
import type { StoredFile } from '../../domain/stored-file.ts';
import { findFault } from './verification.ts';

/** Published files are fetched, and compared with the manifest, before they are read; in one import, each of them once. */
export class VerifiedFiles {
  readonly #dataDirectory: string;
  readonly #storage: FileStore;
  readonly #paths = new Set<string>();

  constructor(dataDirectory: string, storage: FileStore = DATA_DIRECTORY_ALONE) {
    this.#dataDirectory = dataDirectory;
    this.#storage = storage;
  }

  /** Files that this import wrote itself. */
  add(files: readonly StoredFile[]): void {
    for (const { path } of files) this.#paths.add(path);
  }

  async check(file: StoredFile): Promise<void> {
    if (this.#paths.has(file.path)) return;
    await this.#storage.ensure([file]);
    const found = await findFault(this.#dataDirectory, file);
    if (found) await this.#storage.ensure([file], { anew: true });
    const fault = found && (await findFault(this.#dataDirectory, file));
    if (fault) {
      throw new OperatorError(`The published file ${fault.path} ${fault.message}.`, {
        hint: 'Restore it from a backup. keyrank verify lists all damaged files.',
      });
    }
    this.#paths.add(file.path);
  }
}
