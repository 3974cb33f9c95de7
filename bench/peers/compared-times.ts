// Times of one question on several engines, taken in turns so that whatever else the machine does hits all of them.

export interface Times {
  readonly minMs: number;
  readonly medianMs: number;
}

/** Runs every contender so many times, one after the other within each round. */
export async function compareTimes(contenders: readonly (() => unknown)[], rounds: number): Promise<readonly Times[]> {
  const samples: number[][] = contenders.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, run] of contenders.entries()) {
      const startMs = performance.now();
      const pending = run();
      const result = pending instanceof Promise ? await pending : pending;
      const tookMs = performance.now() - startMs;
      samples[i]?.push(ownMeasure(result) ?? tookMs);
    }
  }
  return samples.map(timesOf);
}

/** Of an engine in a process of its own. */
function ownMeasure(result: unknown): number | undefined {
  const { tookMs } = (typeof result === 'object' && result !== null ? result : {}) as { readonly tookMs?: number };
  return tookMs;
}

export function timesOf(samplesMs: readonly number[]): Times {
  const sorted = [...samplesMs].sort((a, b) => a - b);
  return { minMs: sorted[0] ?? 0, medianMs: sorted[sorted.length >> 1] ?? 0 };
}
