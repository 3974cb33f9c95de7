import { parentPort, workerData } from 'node:worker_threads';
import { loadSnapshot } from '../../src/snapshot/format/load.ts';
import { viewSnapshot } from '../../src/snapshot/format/snapshot-view.ts';
import { listCases } from '../search/search-cases.ts';
import type { HttpCases } from './http-cases.ts';

const { manifest, buffers } = await loadSnapshot({ directory: workerData as string });
const view = viewSnapshot(manifest, buffers);
const { set, periods, documentCount } = view;
const cases = listCases(view).cases.map(({ name, path }) => ({ name, path }));
parentPort?.postMessage({ data: { set, periods, documentCount }, cases } satisfies HttpCases);
