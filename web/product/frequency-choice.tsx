import type { Frequency } from '../api/wire.ts';
import { changeParams } from '../app/location.ts';
import { Segmented } from '../parts/segmented.tsx';

const TYPES = [
  { value: 'monthly', text: 'Monthly' },
  { value: 'weekly', text: 'Weekly' },
] as const;

export function FrequencyChoice({ type }: { readonly type: Frequency }) {
  return <Segmented label="Frequency" options={TYPES} value={type} onChange={showType} />;
}

/** Periods of one frequency mean nothing in the other. */
export function showType(type: Frequency): void {
  changeParams({ type: type === 'monthly' ? null : type, period: null, from: null, to: null, page: null });
}
