// Every engine that there is. The suites of this folder run over the list and know nothing of any of them: a new engine is one
// more line here.
import type { PeriodRows, RankPublisher } from '../../src/domain/rank-publisher.ts';
import type { RankStore, RankView } from '../../src/domain/store.ts';
import type { SessionRows } from '../../src/ingest/session-rows.ts';
import { NO_CLICKHOUSE } from '../support/clickhouse.ts';
import type { TestData, TestPeriod } from '../support/rank-data.ts';
import { openClickHouseEngine, openClickHousePublisher } from './clickhouse-engine.ts';
import { openOracle, openOraclePublisher } from './oracle-store.ts';
import { openSnapshotEngine, openSnapshotPublisher } from './snapshot-engine.ts';

/** What a store holds of one marketplace and frequency. */
export interface StoreData {
  readonly search?: TestData;
  readonly social?: TestData;
  /** The numbers of search periods after each publication before the last; engines may take over what is unchanged. */
  readonly steps?: readonly number[];
  /** Revisions that were published before all others and are replaced by periods of the data. */
  readonly superseded?: readonly TestPeriod[];
}

export interface TestStore extends AsyncDisposable {
  readonly store: RankStore;
  /** Publishes other data in the place of what there was; resolves when the store serves it. */
  replace(data: StoreData): Promise<void>;
}

/** An engine that an import can publish to. */
export interface PublishingStore extends AsyncDisposable {
  readonly store: RankStore;
  readonly publisher: RankPublisher<SessionRows> | RankPublisher<PeriodRows>;
  /** For what the importer itself writes. */
  readonly dataDirectory: string;
  /** Resolves when the store serves all that was published. */
  settle(): Promise<void>;
}

export interface Engine {
  readonly name: string;
  /** Of the random cases: an engine for size, where a question takes a hundred times as long, is asked fewer. */
  readonly share: number;
  readonly openStore: (data: StoreData) => Promise<TestStore>;
  readonly openPublisher: () => Promise<PublishingStore>;
}

export const ENGINES: readonly Engine[] = [
  { name: 'the oracle', share: 1, openStore: openOracle, openPublisher: openOraclePublisher },
  { name: 'the snapshot engine', share: 1, openStore: openSnapshotEngine, openPublisher: openSnapshotPublisher },
  ...(NO_CLICKHOUSE
    ? []
    : [{ name: 'ClickHouse', share: 0.11, openStore: openClickHouseEngine, openPublisher: openClickHousePublisher }]),
];

/** Those that are compared with the oracle. */
export const OTHER_ENGINES = ENGINES.filter(({ name }) => name !== 'the oracle');

/** So many of the cases, spread over all of them; `turn` gives lists that are gone through one after the other different ones. */
export function shareOf<T>(cases: readonly T[], share: number, turn = 0): readonly T[] {
  const stride = Math.max(1, Math.floor(1 / share));
  return cases.filter((_, i) => (i + turn) % stride === 0);
}

/** A view that must be there. */
export function viewOf(
  store: Pick<RankStore, 'openView'>,
  {
    frequency,
    source = 'search',
  }: { readonly frequency: TestData['frequency']; readonly source?: 'search' | 'social' },
): RankView {
  const view = store.openView({ marketplace: 'US', frequency, source });
  if (!view) throw new Error(`nothing is published of ${frequency} ${source}`);
  return view;
}
