// The seasons of a window as threads share them.

/** Seasonal documents, and beside each what is known of it. */
export interface Seasons {
  readonly documents: Uint32Array;
  /** 1 to 12. */
  readonly peakMonths: Uint8Array;
  readonly fullYears: Uint16Array;
  /** In hundredths. */
  readonly strengths: Uint32Array;
}

export type SeasonBuffers = Readonly<Record<keyof Seasons, SharedArrayBuffer>>;

export function viewSeasons(buffers: SeasonBuffers): Seasons {
  return {
    documents: new Uint32Array(buffers.documents),
    peakMonths: new Uint8Array(buffers.peakMonths),
    fullYears: new Uint16Array(buffers.fullYears),
    strengths: new Uint32Array(buffers.strengths),
  };
}

export function makeSeasons(count: number): SeasonBuffers {
  return {
    documents: new SharedArrayBuffer(count * 4),
    peakMonths: new SharedArrayBuffer(count),
    fullYears: new SharedArrayBuffer(count * 2),
    strengths: new SharedArrayBuffer(count * 4),
  };
}
