import { RequestError } from '../../src/domain/error.ts';

/** Undefined when planning refuses what was drawn, as it does for a hidden period. */
export function unlessRefused<T>(plan: () => T): T | undefined {
  try {
    return plan();
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}
