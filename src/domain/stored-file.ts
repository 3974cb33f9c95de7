/** A file that never changes once it is published. */
export interface StoredFile {
  /** Relative to the data directory, with forward slashes. */
  readonly path: string;
  readonly sizeBytes: number;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** Name of the object in a storage with the same content, where an earlier file was put there; the path unless given. */
  readonly object?: string;
}
