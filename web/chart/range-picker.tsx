import { Segmented } from '../parts/segmented.tsx';
import { choosePreset, RANGES, readPreset } from './chart-range.ts';

/** How much of the history the charts show. A range that was zoomed to is none of these. */
export function RangePicker() {
  return <Segmented label="Range" options={RANGES} value={readPreset() ?? 'zoomed'} onChange={choosePreset} />;
}
