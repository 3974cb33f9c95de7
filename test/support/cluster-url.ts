/** A database with the whole schema in it and nothing else, of which test files get copies. */
export const MIGRATED_DATABASE = 'keyrank_migrated';

export function clusterUrl({ host, port }: { readonly host: string; readonly port: number }, database: string): URL {
  const url = new URL(`postgres:///${database}`);
  for (const [key, value] of Object.entries({ host, port: String(port), user: 'keyrank_owner' })) {
    url.searchParams.set(key, value);
  }
  return url;
}
