import type { ImportProgress } from '../ingest/import-request.ts';

/** A server that runs this command shows how far it is. One that is gone is no reason to stop. */
export function tellParent(progress: ImportProgress): void {
  if (process.connected) process.send?.(progress, undefined, undefined, () => {});
}
