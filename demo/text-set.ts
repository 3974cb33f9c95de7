// Tells terms that were met before. Two templates can make the same text ("trail running shoes"), so the terms that are
// taken are remembered by a 64-bit hash of their text: 8 bytes each. A collision would only leave out one term.

import type { ByteSink } from './byte-sink.ts';
import { mix32 } from './hash.ts';

const MAX_LOAD = 0.65;

export interface TextSet {
  /** Takes the text in the sink; false when it is known already. */
  add(sink: ByteSink): boolean;
  /** The first half of the hash of the text given last. */
  lastHash(): number;
}

export function createTextSet(capacity: number): TextSet {
  const slots = 2 ** Math.ceil(Math.log2(capacity / MAX_LOAD));
  const low = new Uint32Array(slots);
  const high = new Uint32Array(slots);
  let hash = 0;
  return {
    add(sink) {
      let first = 0x811c9dc5;
      let second = 0x9747b28c;
      for (let index = 0; index < sink.length; index += 1) {
        const byte = sink.bytes[index] ?? 0;
        first = Math.imul(first ^ byte, 0x01000193);
        second = Math.imul(second ^ byte, 0x5bd1e995);
        second ^= second >>> 15;
      }
      first = mix32(first);
      // A zero in the second half marks a free place.
      second = mix32(second) || 1;
      hash = first;
      let at = (first ^ Math.imul(second, 0x9e3779b1)) & (slots - 1);
      while (high[at] !== 0) {
        if (high[at] === second && low[at] === first) return false;
        at = (at + 1) & (slots - 1);
      }
      low[at] = first;
      high[at] = second;
      return true;
    },
    lastHash: () => hash,
  };
}
