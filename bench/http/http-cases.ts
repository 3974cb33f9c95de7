// The questions to load a service with. They are picked from the data by a thread of its own, whose memory is free again when it
// has ended: a client that holds gigabytes, or lets them go while it measures, stands still for a third of a second.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import type { SearchCase } from '../search/search-cases.ts';

export interface HttpCases {
  readonly data: SnapshotSummary;
  readonly cases: readonly HttpCase[];
}

export type SnapshotSummary = Pick<SnapshotView, 'set' | 'periods' | 'documentCount'>;
export type HttpCase = Pick<SearchCase, 'name' | 'path'>;

export async function readHttpCases(snapshotDirectory: string): Promise<HttpCases> {
  const thread = new Worker(new URL('./http-cases-thread.js', import.meta.url), { workerData: snapshotDirectory });
  const [[cases]] = await Promise.all([once(thread, 'message') as Promise<[HttpCases]>, once(thread, 'exit')]);
  return cases;
}
