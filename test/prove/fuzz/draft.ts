import type { Operation } from './api-document.ts';

/** A request before it has a key and an item: what is random about it. */
export interface Draft {
  readonly operation: Operation;
  /** Values by parameter, percent-encoded already. */
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value, or bytes that are no JSON. */
  readonly body: unknown;
  readonly key: KeyKind;
  /** What stands in braces in the path: one of the caller's own, or that is known, or this. */
  readonly id: 'own' | { readonly text: string };
  readonly expected: { readonly status: number; readonly code: string | undefined };
  /** The rule that it breaks; undefined when it breaks none. */
  readonly violated: string | undefined;
}

/** Whose key comes with a request. */
export type KeyKind = 'good' | 'none' | 'unknown' | 'malformed' | 'narrow' | 'inactive' | 'exhausted';

/** What the document leaves to the data. */
export interface Facts {
  /** Keys of the periods that may be named as orders, by the value of `type`. */
  readonly windows: Readonly<Record<string, readonly string[]>>;
  readonly marketplaces: readonly string[];
  /** Texts of which some are in the data. */
  readonly texts: readonly string[];
  readonly asins: readonly string[];
  /** Of each kind in braces in a path, one that is in reports of both frequencies. */
  readonly known: Readonly<Record<'asin' | 'name', string>>;
}

export const MAX_TARGET_BYTES = 128 * 1024;
export const MAX_BODY_BYTES = 1024 * 1024;

export function targetOf(draft: Draft, id: string): string {
  const parts = Object.entries(draft.query).flatMap(([name, values]) => values.map((value) => `${name}=${value}`));
  return draft.operation.path.replace(/\{[a-z]+\}/, id) + (parts.length > 0 ? `?${parts.join('&')}` : '');
}

export function bodyOf({ body }: Draft): string | Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}

/** Values that are each within their limits can still make a body that is not. */
export function isBodyTooLarge(draft: Draft): boolean {
  return Buffer.byteLength(bodyOf(draft) ?? '') > MAX_BODY_BYTES;
}
