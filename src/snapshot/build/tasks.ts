// Work that waits for the disk most of the time, several pieces of it at once.
import { allDone } from '../../domain/containment.ts';

/** Runs tasks in their order, so many at a time. When one fails no other is begun, and those that were are waited for. */
export async function runTasks(tasks: readonly (() => Promise<void>)[], concurrency: number): Promise<void> {
  const waiting = [...tasks].reverse();
  async function runNext(): Promise<void> {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      await next().catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      });
    }
  }
  await allDone(Array.from({ length: concurrency }, runNext));
}
