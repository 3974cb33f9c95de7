// How much is sent at once: as much as arrives within a few seconds, so that a slow line loses little when it breaks and a fast one is
// not held up by questions. A proxy that refuses large requests makes the parts smaller for good.

const KIB = 1024;
export const FIRST_PART_BYTES = 1024 * KIB;
const MIN_PART_BYTES = 64 * KIB;
const MAX_PART_BYTES = 32 * 1024 * KIB;
const QUICK_MS = 1_500;
const SLOW_MS = 6_000;

export interface PartSize {
  readonly bytes: number;
  readonly maxBytes: number;
}

export const FIRST_PART: PartSize = { bytes: FIRST_PART_BYTES, maxBytes: MAX_PART_BYTES };

export function afterPart({ bytes, maxBytes }: PartSize, tookMs: number): PartSize {
  if (tookMs < QUICK_MS) return { bytes: Math.min(bytes * 2, maxBytes), maxBytes };
  return { bytes: tookMs > SLOW_MS ? Math.max(bytes / 2, MIN_PART_BYTES) : bytes, maxBytes };
}

/** Undefined when it cannot become smaller. */
export function afterRefusal({ bytes }: PartSize): PartSize | undefined {
  const smaller = bytes / 2;
  return smaller < MIN_PART_BYTES ? undefined : { bytes: smaller, maxBytes: smaller };
}
