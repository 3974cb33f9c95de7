// What is removed by the clock, whether anybody asks for anything or not. A chore does a small step at a time, so that no request
// waits for it; one that fails is tried again next time, and keeps none of the others from their turn.
import { JobLoop } from '../watch/job-loop.ts';

export interface Chore {
  readonly name: string;
  /** One small step; true when there may be more to do. */
  readonly step: () => Promise<boolean>;
}

export interface HousekeepingOptions {
  readonly chores: readonly Chore[];
  readonly everyMs: number;
  readonly onError: (error: unknown, chore: string) => void;
}

export function startHousekeeping({ chores, everyMs, onError }: HousekeepingOptions): JobLoop {
  const work = async (loop: JobLoop): Promise<void> => {
    for (const { name, step } of chores) {
      try {
        while (!loop.isStopped && (await step())) {
          // The next step.
        }
      } catch (error) {
        onError(error, name);
      }
    }
  };
  return new JobLoop({ work, everyMs, onError: (error) => onError(error, 'housekeeping') });
}
