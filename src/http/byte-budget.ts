export interface ByteLimits {
  readonly perOrganizationBytes: number;
  readonly totalBytes: number;
  /** What every organization has even while others have taken all of the total. */
  readonly guaranteedBytes: number;
}

/** Memory that requests take up, by organization: none can take it all, and each has a little left whatever the others do. */
export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #taken = new Map<string, number>();
  #totalBytes = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** False, with nothing taken, when that would be too much. */
  take(owner: string, bytes: number): boolean {
    const { perOrganizationBytes, totalBytes, guaranteedBytes } = this.#limits;
    const own = (this.#taken.get(owner) ?? 0) + bytes;
    if (own > perOrganizationBytes) return false;
    if (own > guaranteedBytes && this.#totalBytes + bytes > totalBytes) return false;
    this.#taken.set(owner, own);
    this.#totalBytes += bytes;
    return true;
  }

  giveBack(owner: string, bytes: number): void {
    const own = (this.#taken.get(owner) ?? 0) - bytes;
    if (own > 0) this.#taken.set(owner, own);
    else this.#taken.delete(owner);
    this.#totalBytes -= bytes;
  }
}
