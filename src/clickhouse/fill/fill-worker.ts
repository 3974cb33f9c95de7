// Writes one part of each piece that it is told of.
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../domain/error-code.ts';
import type { ClickHouseSettings } from '../clickhouse-settings.ts';
import { ClickHouse, isUnavailable } from '../connection.ts';
import { insertPart } from './insert-part.ts';
import type { Part, Piece, Written } from './piece.ts';
import { SegmentSource, type SourceOptions } from './segment-source.ts';

export interface FillSetup extends SourceOptions {
  readonly settings: ClickHouseSettings;
  readonly part: Part;
}

/** Errors lose their kind on their way between threads. */
export type FillReply = Written | { readonly message: string; readonly isUnavailable: boolean };

const { settings, part, ...options } = workerData as FillSetup;
const clickHouse = new ClickHouse(settings);
const opening = SegmentSource.open(options);

parentPort?.on('message', async (piece: Piece) => {
  const reply = await opening
    .then((source) => insertPart({ clickHouse, source }, { piece, part }))
    .catch((error: unknown) => ({ message: errorMessage(error), isUnavailable: isUnavailable(error) }));
  parentPort?.postMessage(reply satisfies FillReply);
});
