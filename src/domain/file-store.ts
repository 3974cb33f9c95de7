// Where published files lie beside the data directory, if anywhere. Everything is written to the data directory first and read from it;
// a store takes copies before a transaction names them, and gives back what the directory lacks. With one, the directory of each
// machine is a cache. Without one it is all there is, and DATA_DIRECTORY_ALONE does nothing.
//
// What a store upholds: an object has one content for ever, because its name is never given twice. It is there wholly or not at all.
// A file is in the directory under its name only when it has the size and checksum that the manifest says.
import { OperatorError } from './error.ts';
import type { StorageFault } from './rank-publisher.ts';
import type { StoredFile } from './stored-file.ts';

/** Of files that are being fetched. Sweeping leaves young ones alone. */
export const PART_ENDING = '.part';

export interface StoredObject {
  readonly name: string;
  readonly sizeBytes: number;
}

export interface TransferOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called as bytes were sent or have come. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

export interface FileStore {
  /** As the settings write it; null where there is nothing beside the data directory. */
  readonly location: string | null;
  /** Copies files of the data directory there. */
  put(files: readonly StoredFile[], options?: TransferOptions): Promise<void>;
  /** Makes sure that these files are in the data directory. `anew`: whatever is there now is not what it should be. */
  ensure(files: readonly StoredFile[], options?: TransferOptions & { readonly anew?: boolean }): Promise<void>;
  /** What is wrong with the stored copy, read as a whole. */
  findFault(file: StoredFile): Promise<StorageFault | undefined>;
  /** All objects with rank data, or those whose names begin with one of these. */
  list(prefixes?: readonly string[]): Promise<readonly StoredObject[]>;
  remove(names: readonly string[]): Promise<void>;
  /** The manifests that its objects belong to: one, or two while a restore is under way. */
  readOwners(): Promise<readonly string[]>;
  writeOwners(manifestIds: readonly string[]): Promise<void>;
}

export const DATA_DIRECTORY_ALONE: FileStore = {
  location: null,
  put: async () => {},
  ensure: async () => {},
  findFault: async () => undefined,
  list: async () => [],
  remove: async () => {},
  readOwners: async () => [],
  writeOwners: async () => {},
};

/** The name of the object with the content of a file. */
export function objectOf({ object, path }: StoredFile): string {
  return object ?? path;
}

/** What became of a request to a store. Only `lost` says anything about the file. */
export type StoreFaultKind = 'unreachable' | 'refused' | 'lost';

/** Its message names the store and the object, and neither keys nor signatures. */
export class StoreFault extends OperatorError {
  /** `lost`: the object is not there, or has another content. `refused`: the settings must be mended. `unreachable`: it may pass. */
  readonly kind: StoreFaultKind;

  constructor(kind: StoreFaultKind, ...about: ConstructorParameters<typeof OperatorError>) {
    super(...about);
    this.name = 'StoreFault';
    this.kind = kind;
  }
}
