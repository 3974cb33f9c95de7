// Click and conversion shares of the three products of a row, in hundredths of a percent. At the top of a report the shares
// are small and smooth; far down they are fractions of a handful of clicks, with many conversions unknown or zero.

import { mix32, unitOf } from './hash.ts';

/** A blank conversion share. */
export const UNKNOWN_SHARE = -1;

export interface Shares {
  readonly click: Int32Array;
  readonly conversion: Int32Array;
}

export function createShares(): Shares {
  return { click: new Int32Array(3), conversion: new Int32Array(3) };
}

/** Depth runs from 0 at rank 1 to 1 at the last rank. */
export function drawShares(shares: Shares, { hash, depth }: { readonly hash: number; readonly depth: number }): void {
  let draw = mix32(hash + 11);
  const clicks = Math.round(12 + 90 * (1 - depth) ** 2 + 30 * unitOf(draw));
  let most = 0.07 + 0.06 * depth + (0.12 + 0.3 * depth) * unitOf(mix32(draw + 1)) ** 2;
  let left = 1;
  for (let place = 0; place < 3; place += 1) {
    most = Math.min(most, 0.6 * left);
    draw = mix32(draw + 7);
    const share = depth > 0.25 ? Math.max(1, Math.round(most * clicks)) / clicks : most;
    left -= share;
    shares.click[place] = Math.round(share * 10_000);
    shares.conversion[place] = conversionOf({ share, draw, depth });
    most *= 0.55 + 0.42 * unitOf(mix32(draw + 3));
  }
}

function conversionOf(options: { readonly share: number; readonly draw: number; readonly depth: number }): number {
  const { share, draw, depth } = options;
  const luck = unitOf(draw);
  if (luck < 0.015 + 0.05 * depth) return UNKNOWN_SHARE;
  if (luck < 0.03 + 0.5 * depth) return 0;
  return Math.round(Math.min(0.33, share * (0.35 + 1.4 * unitOf(mix32(draw + 5)))) * 10_000);
}
