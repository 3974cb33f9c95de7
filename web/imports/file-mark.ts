// By what a file is known again, so that sending it goes on after a pause, in another tab or on another machine.

const EDGE_BYTES = 256 * 1024;

/** Its size and a checksum of its beginning and its end; where the browser has no checksums, when it was changed last. */
export async function markOf(file: File): Promise<string> {
  const edges = new Blob([file.slice(0, EDGE_BYTES), file.slice(-EDGE_BYTES)]);
  const sum = await sha256(await edges.arrayBuffer());
  return sum === undefined ? `${file.size}-${file.lastModified}` : `${file.size}-${toHex(sum)}`;
}

/** Undefined where the page did not come over a secure connection: browsers have no checksums there. */
export async function sha256(bytes: ArrayBuffer): Promise<Uint8Array | undefined> {
  const { subtle } = globalThis.crypto as { readonly subtle?: SubtleCrypto };
  return subtle && new Uint8Array(await subtle.digest('SHA-256', bytes));
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
