/** Collects what would end a process that nobody guards: rejections without a handler and exceptions without a catch. */
export function watchStrayFaults(): { readonly faults: readonly unknown[] } & Disposable {
  const faults: unknown[] = [];
  const note = (fault: unknown) => void faults.push(fault);
  const events = ['unhandledRejection', 'uncaughtException'] as const;
  // The test runner listens too, and would count what a test makes on purpose.
  const before = events.map((event) => ({ event, listeners: process.listeners(event as 'uncaughtException') }));
  for (const event of events) process.removeAllListeners(event).on(event as 'uncaughtException', note);
  return {
    faults,
    [Symbol.dispose]: () => {
      for (const { event, listeners } of before) {
        process.removeAllListeners(event);
        for (const listener of listeners) process.on(event as 'uncaughtException', listener);
      }
    },
  };
}

/** Long enough for Node.js to report every rejection so far: it does after the microtasks of a turn. */
export async function untilReported(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
