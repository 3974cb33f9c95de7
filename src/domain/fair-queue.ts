// What waits for a thread, a connection or the event loop, in turns: each owner's first, then each owner's second. Whoever
// asks for much at once waits behind itself, and the others hardly notice.

export interface Owned {
  /** Whose turn it takes. */
  readonly owner: string;
}

export class FairQueue<Item extends Owned> {
  /** In the order of turns; nobody is in it without an item. */
  readonly #lanes = new Map<string, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: Item): void {
    const lane = this.#lanes.get(item.owner);
    if (lane) lane.push(item);
    else this.#lanes.set(item.owner, [item]);
    this.#length += 1;
  }

  /** The next, of those owners that may go now; its owner goes to the end of the line. */
  shift(mayGo: (first: Item) => boolean = () => true): Item | undefined {
    for (const [owner, lane] of this.#lanes) {
      const [item] = lane;
      if (!item || !mayGo(item)) continue;
      lane.shift();
      this.#lanes.delete(owner);
      if (lane.length > 0) this.#lanes.set(owner, lane);
      this.#length -= 1;
      return item;
    }
    return undefined;
  }

  remove(isWanted: (item: Item) => boolean): void {
    for (const [owner, lane] of this.#lanes) {
      const at = lane.findIndex(isWanted);
      if (at < 0) continue;
      lane.splice(at, 1);
      this.#length -= 1;
      if (lane.length === 0) this.#lanes.delete(owner);
      return;
    }
  }

  removeAll(): readonly Item[] {
    const items = [...this.#lanes.values()].flat();
    this.#lanes.clear();
    this.#length = 0;
    return items;
  }

  /** How many of this owner wait. */
  countOf(owner: string): number {
    return this.#lanes.get(owner)?.length ?? 0;
  }

  /** How many wait of the owner who has fewest waiting; 0 when nobody waits. */
  get shortestLane(): number {
    let shortest = this.#length;
    for (const lane of this.#lanes.values()) shortest = Math.min(shortest, lane.length);
    return shortest;
  }

  /** How many would be taken before a new one of this owner, if nothing else came. */
  countBefore(owner: string): number {
    const own = this.countOf(owner);
    let count = own;
    for (const [other, lane] of this.#lanes) if (other !== owner) count += Math.min(lane.length, own + 1);
    return count;
  }
}
