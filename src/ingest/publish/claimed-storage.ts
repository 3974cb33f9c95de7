// A storage belongs to one manifest, and a manifest to one storage: with a wrong setting everything would look left over, or missing.
import { OperatorError } from '../../domain/error.ts';
import { type FileStore, objectOf } from '../../domain/file-store.ts';
import type { Queryable } from '../../postgres/pool.ts';
import { listStoredFiles, type Manifest } from '../../snapshot/manifest/manifest.ts';
import { saveStorage } from '../../snapshot/manifest/manifest-rows.ts';

const HERE = 'the data directory';

/** Refuses settings that lead elsewhere than where the files lie. */
export function checkStorage(manifest: Manifest, { location }: Pick<FileStore, 'location'>): void {
  if (manifest.storage === location || listStoredFiles(manifest).length === 0) return;
  const to = location ?? 'local';
  throw new OperatorError(
    `The rank data of this database lies in ${manifest.storage ?? HERE}, and KEYRANK_STORAGE says ${location ?? 'nothing'}.`,
    {
      hint: `Set KEYRANK_STORAGE to ${manifest.storage ?? 'nothing'}, or move the data: keyrank storage move --to ${to}.`,
    },
  );
}

/** Ties a storage to the manifest. The caller holds the import lock. */
export async function claimStorage(
  connection: Queryable,
  { storage, manifest }: { readonly storage: FileStore; readonly manifest: Manifest },
): Promise<void> {
  checkStorage(manifest, storage);
  await claimObjects({ storage, manifest });
  if (manifest.storage !== storage.location) await saveStorage(connection, storage.location);
}

export async function claimObjects({
  storage,
  manifest,
}: {
  readonly storage: FileStore;
  readonly manifest: Manifest;
}): Promise<void> {
  const owners = await storage.readOwners();
  if (owners.includes(manifest.id)) {
    if (owners.length > 1) await storage.writeOwners([manifest.id]);
    return;
  }
  const objects = new Set((await storage.list()).map(({ name }) => name));
  const isKnown = listStoredFiles(manifest).some((file) => objects.has(objectOf(file)));
  if (objects.size > 0 && (owners.length > 0 || !isKnown)) {
    throw new OperatorError(`${storage.location} holds rank data that this database does not know.`, {
      hint: 'Check DATABASE_URL and KEYRANK_STORAGE, or use another prefix: each database needs one of its own.',
    });
  }
  await storage.writeOwners([manifest.id]);
}

/** Objects that the manifest does not name. They are listed first, as the files of a data directory are. */
export async function findLeftObjects({
  storage,
  readManifest,
}: {
  readonly storage: FileStore;
  readonly readManifest: () => Promise<Manifest>;
}): Promise<readonly string[]> {
  const objects = await storage.list();
  if (objects.length === 0) return [];
  const named = new Set(listStoredFiles(await readManifest()).map(objectOf));
  return objects.map(({ name }) => name).filter((name) => !named.has(name));
}
