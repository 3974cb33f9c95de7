import { invalidParameter } from './error.ts';
import { comparePeriods, type Frequency, type Period, parsePeriodKey, periodKey } from './period.ts';

/** A period that a caller named, which must exist and lie in the plan's window. A gap inside has no data, which is fine. */
export function parseVisiblePeriod(
  key: string,
  options: {
    readonly parameter: string;
    readonly frequency: Frequency;
    /** Oldest first. */
    readonly window: readonly Period[];
    /** What to do while nothing is published. */
    readonly otherwise: string;
  },
): Period {
  const { parameter, frequency, window, otherwise } = options;
  const period = parsePeriodKey(key, frequency);
  const [oldest, newest] = [window[0], window.at(-1)];
  const isInside =
    period && oldest && newest && comparePeriods(oldest, period) <= 0 && comparePeriods(period, newest) <= 0;
  if (isInside) return period;
  const hint =
    oldest && newest
      ? `Use a ${frequency} period from ${periodKey(oldest)} to ${periodKey(newest)}.`
      : `No ${frequency} period is published yet; ${otherwise}.`;
  const fault = period ? 'is outside the periods that your plan can see' : `is not a ${frequency} period`;
  throw invalidParameter({ name: parameter, fault: `names the period '${key}', which ${fault}.` }, hint);
}
