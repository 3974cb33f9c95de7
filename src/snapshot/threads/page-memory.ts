// Memory for pages on their way out. Fresh memory for every page would keep the garbage collector busy: at a few hundred pages
// a second it has to look through the whole heap more than once a second, only to find that they were sent long ago.
import type { SearchPage, SearchPageOptions } from '../../domain/store.ts';

export interface WrittenPage {
  readonly totalCount: number;
  /** In the thread's memory, which the next page will use. */
  readonly dataJson: Uint8Array;
}

/** Pages are mostly of this size or smaller; larger ones take twice, four times, … as much. */
const SMALLEST_BYTES = 64 * 1024;
/** What is kept for later, in all. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

export class PageMemory {
  /** By size. */
  readonly #kept = new Map<number, Buffer[]>();
  #keptBytes = 0;

  /** A page in memory of its own. */
  copy({ totalCount, dataJson }: WrittenPage, frame: SearchPageOptions['frame']): SearchPage {
    const { before, after } = frame(totalCount);
    const memory = this.#take(Buffer.byteLength(before) + dataJson.length + Buffer.byteLength(after));
    const start = memory.write(before);
    memory.set(dataJson, start);
    const end = start + dataJson.length;
    const json = memory.subarray(0, end + memory.write(after, end));
    let isReleased = false;
    const release = (): void => {
      if (!isReleased) this.#giveBack(memory);
      isReleased = true;
    };
    return { totalCount, json, release };
  }

  /** At least so many bytes, with whatever was in them before. */
  #take(length: number): Buffer {
    const size = SMALLEST_BYTES * 2 ** Math.max(0, Math.ceil(Math.log2(length / SMALLEST_BYTES)));
    const kept = this.#kept.get(size)?.pop();
    if (!kept) return Buffer.allocUnsafeSlow(size);
    this.#keptBytes -= size;
    return kept;
  }

  /** Memory that is not given back is no loss: the garbage collector finds it. */
  #giveBack(memory: Buffer): void {
    if (this.#keptBytes + memory.length > MAX_KEPT_BYTES) return;
    const kept = this.#kept.get(memory.length) ?? [];
    kept.push(memory);
    this.#kept.set(memory.length, kept);
    this.#keptBytes += memory.length;
  }
}
