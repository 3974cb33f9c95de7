// Fashions: some products boom for a year and fade again. The wave is a function of the absolute date, not of the moment
// of generation, so a month looks the same whenever it is generated.

import { hashWith, mix32, type Salt, unitOf } from './hash.ts';

const MIN_CYCLE_DAYS = 800;
const MAX_CYCLE_DAYS = 1500;
const MIN_LEAD_DAYS = 21;
const MAX_LEAD_DAYS = 49;

/** Where in its cycle a fashion rises, stays, and has faded, as parts of the cycle. */
const RISEN = 0.14;
const TIRED = 0.3;
const FADED = 0.68;

export interface Wave {
  readonly cycleDays: number;
  readonly offsetDays: number;
  /** How long before the searches the social networks follow the same wave. */
  readonly leadDays: number;
}

export function waveOf(salt: Salt, subject: number): Wave {
  const hash = hashWith(salt, subject);
  const cycleDays = MIN_CYCLE_DAYS + unitOf(hash) * (MAX_CYCLE_DAYS - MIN_CYCLE_DAYS);
  return {
    cycleDays,
    offsetDays: unitOf(mix32(hash + 1)) * cycleDays,
    leadDays: MIN_LEAD_DAYS + unitOf(mix32(hash + 2)) * (MAX_LEAD_DAYS - MIN_LEAD_DAYS),
  };
}

/** Height of the wave on a day counted from 1970: -1 when out of fashion, 1 at its height. */
export function waveHeight(wave: Wave, day: number): number {
  const phase = ((day + wave.offsetDays) % wave.cycleDays) / wave.cycleDays;
  if (phase < RISEN) return ease(phase / RISEN);
  if (phase < TIRED) return 1;
  if (phase < FADED) return ease(1 - (phase - TIRED) / (FADED - TIRED));
  return -1;
}

function ease(part: number): number {
  return 2 * part * part * (3 - 2 * part) - 1;
}
