import type { Frequency } from '../api/wire.ts';
import { changeParams } from '../app/location.ts';

/** Periods of one frequency mean nothing in the other. */
export function changeType(type: Frequency): void {
  changeParams({ type: type === 'monthly' ? null : type, from: null, to: null, compare_to: null });
}
