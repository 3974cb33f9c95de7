import type { Tenant } from './account.ts';

/** Exports that one organization may run at the same time, over all servers. */
export const MAX_RUNNING_EXPORTS = 2;

/** Rows of one export; who needs more narrows the search. */
export const MAX_EXPORT_ROWS = 100_000;

export interface ExportGate {
  /** A place among the organization's running exports, counted on the meter; undefined when all are taken. */
  enter(tenant: Tenant): Promise<AsyncDisposable | undefined>;
}
