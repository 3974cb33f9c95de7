// How much more often a term is searched on a day of the year. A season is one peak with its own rise and fall, so weeks
// and months come out of the same curve.

export interface SeasonCurve {
  readonly name: string;
  /** Day of the year of the peak, from 0. */
  readonly peakDay: number;
  readonly riseDays: number;
  readonly fallDays: number;
  /** Natural logarithm of the factor at the peak and far from it: 3 makes a rank about twenty times better. */
  readonly high: number;
  readonly low: number;
}

const YEAR_DAYS = 365.25;
const DAY_MS = 86_400_000;

/** Season 0 is no season. */
export const SEASONS: readonly SeasonCurve[] = [
  { name: 'none', peakDay: 0, riseDays: 1, fallDays: 1, high: 0, low: 0 },
  { name: 'halloween', peakDay: 290, riseDays: 34, fallDays: 11, high: 2.6, low: -2 },
  { name: 'christmas', peakDay: 346, riseDays: 38, fallDays: 13, high: 2.4, low: -1.55 },
  { name: 'gift', peakDay: 342, riseDays: 26, fallDays: 12, high: 1.1, low: -0.15 },
  { name: 'school', peakDay: 218, riseDays: 28, fallDays: 24, high: 1.9, low: -0.6 },
  { name: 'summer', peakDay: 178, riseDays: 60, fallDays: 45, high: 1.3, low: -1.3 },
  { name: 'winter', peakDay: 338, riseDays: 50, fallDays: 50, high: 1.2, low: -1.3 },
  { name: 'fitness', peakDay: 9, riseDays: 10, fallDays: 22, high: 1.3, low: -0.1 },
  { name: 'valentine', peakDay: 38, riseDays: 20, fallDays: 7, high: 2.3, low: -2.4 },
  { name: 'easter', peakDay: 88, riseDays: 24, fallDays: 12, high: 2.2, low: -2.4 },
  { name: 'mother', peakDay: 126, riseDays: 12, fallDays: 7, high: 2.4, low: -2 },
  { name: 'father', peakDay: 160, riseDays: 18, fallDays: 7, high: 2.3, low: -2 },
  { name: 'independence', peakDay: 178, riseDays: 20, fallDays: 8, high: 2.2, low: -2.2 },
  { name: 'thanksgiving', peakDay: 318, riseDays: 24, fallDays: 10, high: 2.3, low: -2 },
  { name: 'graduation', peakDay: 134, riseDays: 28, fallDays: 22, high: 2.2, low: -1.8 },
  { name: 'spring', peakDay: 110, riseDays: 40, fallDays: 45, high: 1.1, low: -0.7 },
  { name: 'fall', peakDay: 268, riseDays: 35, fallDays: 35, high: 1.3, low: -1 },
  { name: 'patrick', peakDay: 66, riseDays: 20, fallDays: 8, high: 2.4, low: -2.6 },
  { name: 'newyear', peakDay: 360, riseDays: 18, fallDays: 14, high: 1.9, low: -1.4 },
];

export function seasonNumber(name: string): number {
  const number = SEASONS.findIndex((season) => season.name === name);
  if (number < 0) throw new Error(`There is no season "${name}".`);
  return number;
}

/** The curve on one day of the year: high at the peak, low far from it. */
export function seasonOnDay(curve: SeasonCurve, dayOfYear: number): number {
  let distance = (dayOfYear - curve.peakDay) % YEAR_DAYS;
  if (distance > YEAR_DAYS / 2) distance -= YEAR_DAYS;
  if (distance < -YEAR_DAYS / 2) distance += YEAR_DAYS;
  const width = distance < 0 ? curve.riseDays : curve.fallDays;
  return curve.low + (curve.high - curve.low) * Math.exp(-((distance / width) ** 2) / 2);
}

/** One figure per season for a span of days: the logarithm of the mean factor. */
export function seasonsInSpan({ startMs, endMs }: { readonly startMs: number; readonly endMs: number }): Float32Array {
  const means = new Float32Array(SEASONS.length);
  const days = Math.round((endMs - startMs) / DAY_MS) + 1;
  for (const [number, curve] of SEASONS.entries()) {
    let sum = 0;
    for (let day = 0; day < days; day += 1) sum += Math.exp(seasonOnDay(curve, dayOfYear(startMs + day * DAY_MS)));
    means[number] = Math.log(sum / days);
  }
  return means;
}

function dayOfYear(ms: number): number {
  return (ms - Date.UTC(new Date(ms).getUTCFullYear(), 0, 1)) / DAY_MS;
}
