import type { StorageFault } from '../../domain/rank-publisher.ts';
import type { BuildSnapshot, Manifest } from '../../snapshot/manifest/manifest.ts';

/** What a publisher does beside its files for a store that keeps elsewhere what is built. */
export interface BuiltElsewhere {
  readonly store: 'clickhouse';
  /** The files that it leaves name what was built. */
  readonly buildSnapshot: BuildSnapshot;
  /** Removes what the manifest does not name. The caller holds the import lock. */
  sweep(manifest: Manifest): Promise<void>;
  /** Says there what is published; the manifest alone decides. */
  announce(manifest: Manifest): Promise<void>;
  verify(manifest: Manifest, onItem: (name: string) => void): Promise<readonly StorageFault[]>;
}
