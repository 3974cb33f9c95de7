// Snapshots that an earlier version built lack the columns of the trend lists. No other column changed its meaning, so they
// are not built anew: what is missing is made while they are loaded, by the same code, until the next import stores it.
import { bytesOf } from './column-file.ts';
import { rankColumnName, type SnapshotManifest } from './format.ts';
import type { SnapshotBuffers } from './snapshot-view.ts';
import { viewText } from './text-column.ts';
import { buildTrendColumns } from './trend-columns.ts';

export function completeColumns(manifest: SnapshotManifest, buffers: SnapshotBuffers): SnapshotBuffers {
  if (manifest.columns['term-place']) return buffers;
  const numbersOf = (name: string) => new Uint32Array(buffers[name] ?? new SharedArrayBuffer(0));
  const [previous, newest] = [manifest.periods.at(-2), manifest.periods.at(-1)];
  const columns = buildTrendColumns({
    newestCount: newest?.documentCount ?? 0,
    documentSlots: numbersOf('document-slot'),
    latestRanks: numbersOf('latest-rank'),
    previousRanks: previous && numbersOf(rankColumnName(previous.key)),
    terms: viewText(new Uint8Array(buffers['term-text'] ?? new SharedArrayBuffer(0)), numbersOf('term-ends')),
  });
  const added = Object.entries(columns).map(([name, column]) => {
    const buffer = new SharedArrayBuffer(column.byteLength);
    new Uint8Array(buffer).set(bytesOf(column));
    return [name, buffer] as const;
  });
  return { ...buffers, ...Object.fromEntries(added) };
}
