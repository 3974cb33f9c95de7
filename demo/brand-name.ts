// The made-up capital-letter brands that fill the lower ranks of every large shop.

import { mix32 } from './hash.ts';

const INVENTED_BRANDS = 1200;

const STARTS = `b, br, c, d, dr, f, fl, g, h, j, k, kl, l, m, n, p, pr, r, s, sh, t, tr, v, w, x, y, z, zh`.split(', ');
const VOWELS = `a, e, i, o, u, ai, ee, oo, ia, eo`.split(', ');
const ENDS = `n, r, l, x, k, m, s, v, z, ng, th, ck, nt, xy, do, vo, ra, ko, li, ta`.split(', ');

/** Distinct names, always the same ones. */
export function inventBrands(): readonly string[] {
  const names = new Set<string>();
  for (let attempt = 1; names.size < INVENTED_BRANDS; attempt += 1) {
    const hash = mix32(attempt);
    const next = mix32(hash);
    const name = [
      STARTS[hash % STARTS.length],
      VOWELS[(hash >>> 8) % 5],
      STARTS[(hash >>> 16) % STARTS.length],
      VOWELS[next % VOWELS.length],
      ENDS[(next >>> 8) % ENDS.length],
    ].join('');
    names.add((next >>> 20) % 3 === 0 ? name.slice(0, 1).toUpperCase() + name.slice(1) : name.toUpperCase());
  }
  return [...names];
}
