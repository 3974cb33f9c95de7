export interface CallOptions {
  /** Gives the request up, also while it waits. */
  readonly signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
  /** With the same key, the same request may be repeated without being done twice. */
  readonly idempotencyKey?: string | undefined;
}

/** The header by which a call that is sent again is known. */
export function keyed(idempotencyKey: string | undefined): { readonly headers?: Record<string, string> } {
  return idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } };
}
