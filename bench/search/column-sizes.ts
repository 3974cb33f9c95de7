// What a snapshot keeps in memory, by kind of column, and what that comes to for a given number of keywords.
import type { LoadedSnapshot } from '../../src/snapshot/format/load.ts';

export interface ColumnSize {
  readonly column: string;
  readonly sizeBytes: number;
  readonly bytesPerKeyword: number;
}

/** The number of keywords in which size l is counted. */
export const SIZE_L_KEYWORDS = 10_000_000;

/** Largest first. The columns of the periods count together, as do the three places of products and so on. */
export function listColumnSizes({ manifest, buffers }: LoadedSnapshot): readonly ColumnSize[] {
  const sizes = new Map<string, number>();
  for (const [name, buffer] of Object.entries(buffers)) {
    const kind = name.replace(/^rank-\d+-\d+$/, 'rank-*').replace(/-[123]$/, '-*');
    sizes.set(kind, (sizes.get(kind) ?? 0) + buffer.byteLength);
  }
  return [...sizes]
    .map(([column, sizeBytes]) => ({ column, sizeBytes, bytesPerKeyword: sizeBytes / manifest.documentCount }))
    .sort((a, b) => b.sizeBytes - a.sizeBytes);
}
