// Demo reports, written by a thread of their own, one at a time.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type DemoOptions, type DemoReport, generateReports } from './report.ts';
import type { WriteReply, WriteRequest } from './report-worker.ts';

export class ReportWriter implements AsyncDisposable {
  readonly reports: readonly Omit<DemoReport, 'write'>[];
  readonly #worker: Worker;

  constructor(options: DemoOptions) {
    this.reports = [...generateReports(options)];
    this.#worker = new Worker(new URL('../src/demo/report-worker.js', import.meta.url), { workerData: options });
  }

  async write(index: number, path: string): Promise<void> {
    const request: WriteRequest = { index, path };
    this.#worker.postMessage(request);
    const [reply] = (await once(this.#worker, 'message')) as [WriteReply];
    if (reply) throw reply.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
