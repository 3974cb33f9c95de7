// Writes demo reports in a thread of its own, because making them keeps a thread busy.
import { parentPort, workerData } from 'node:worker_threads';
import { type DemoOptions, generateReports } from './report.ts';

const reports = [...generateReports(workerData as DemoOptions)];

/** Asks for the report with this index of the sequence. */
export interface WriteRequest {
  readonly index: number;
  readonly path: string;
}

/** Undefined when it was written. */
export type WriteReply = { readonly error: unknown } | undefined;

parentPort?.on('message', async ({ index, path }: WriteRequest) => {
  const reply: WriteReply = await reports[index]?.write(path).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  parentPort?.postMessage(reply);
});
