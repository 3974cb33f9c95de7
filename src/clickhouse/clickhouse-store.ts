// The rank store over ClickHouse: one generation per set is current, and a publication swaps it in one step. Nothing but what a
// generation is made of is kept in this process.
import { comparePeriods } from '../domain/period.ts';
import { type RankSet, type RankView, type ReadOptions, rankSetKey } from '../domain/store.ts';
import type { PreparedSnapshot } from '../snapshot/snapshot-store.ts';
import { ClickHouseView } from './clickhouse-view.ts';
import { type ClickHouse, ClusterUnavailableError } from './connection.ts';
import { nameIn } from './fill/build.ts';
import type { GenerationFacts } from './fill/generation.ts';
import { periodOf } from './period-number.ts';
import { QuestionTurns } from './question-turns.ts';
import { namesIn } from './schema.ts';
import type { SetReader } from './set-reader.ts';
import { sql } from './sql.ts';

export interface ClickHouseStoreOptions {
  readonly clickHouse: ClickHouse;
  /** Generations are named by the paths of their files in it. */
  readonly dataDirectory: string;
  /** Questions that the cluster is asked at a time; an owner may have as many waiting as `maxQueued`. */
  readonly maxRunning: number;
  readonly maxQueued: number;
}

interface Current {
  readonly reader: SetReader;
}

export class ClickHouseStore implements AsyncDisposable {
  readonly #options: ClickHouseStoreOptions;
  readonly #turns: QuestionTurns;
  readonly #current = new Map<string, Current>();

  constructor(options: ClickHouseStoreOptions) {
    this.#options = options;
    this.#turns = new QuestionTurns(options);
  }

  /** Finds the generation that a directory stands for. */
  async prepare(directory: string, options: ReadOptions = {}): Promise<PreparedSnapshot> {
    const { clickHouse, dataDirectory } = this.#options;
    const generation = nameIn(dataDirectory, directory);
    const reader = await openReader(clickHouse, generation, options);
    return {
      publish: () => {
        this.#current.set(rankSetKey(reader.set), { reader });
        return reader.set;
      },
      [Symbol.asyncDispose]: async () => {},
    };
  }

  withdraw(set: RankSet): void {
    this.#current.delete(rankSetKey(set));
  }

  checkRoom(owner = ''): void {
    this.#turns.checkRoom(owner);
  }

  openView(set: RankSet, owner = ''): RankView | undefined {
    const retail = set.source === 'social' ? this.#open({ ...set, source: 'search' }, owner) : undefined;
    return this.#open(set, owner, retail);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#current.clear();
  }

  #open(set: RankSet, owner: string, retail?: ClickHouseView): ClickHouseView | undefined {
    const current = this.#current.get(rankSetKey(set));
    if (!current) return undefined;
    const { reader } = current;
    const checkWhole = (options?: ReadOptions) => checkGeneration(this.#options.clickHouse, reader, options);
    return new ClickHouseView({ reader, checkWhole, turns: this.#turns, owner, retail });
  }
}

async function openReader(clickHouse: ClickHouse, generation: string, options: ReadOptions): Promise<SetReader> {
  const tables = namesIn(clickHouse.database);
  const found = await clickHouse.rows<{ facts: string }>(
    sql`SELECT facts FROM ${tables.generations.all} WHERE generation = ${generation}`,
    options,
  );
  const [first] = found;
  if (!first) throw new GenerationMissingError(generation);
  const { set, segments, maxWordCount, nodes } = JSON.parse(first.facts) as GenerationFacts;
  if (found.length !== nodes) throw new GenerationMissingError(generation);
  return {
    set,
    periods: segments.map(({ period }) => periodOf(period, set.frequency)).sort(comparePeriods),
    generation,
    maxWordCount,
    nodes,
    segments: new Map(segments.map(({ period, piece }) => [period, piece])),
    tables,
    rows: (query, given) => clickHouse.rows(query, given),
  };
}

/** A generation loses its marks before its rows. */
async function checkGeneration(
  clickHouse: ClickHouse,
  { generation, tables, nodes }: SetReader,
  options?: ReadOptions,
): Promise<void> {
  const [marks] = await clickHouse.rows<{ nodes: number }>(
    sql`SELECT count() AS nodes FROM ${tables.generations.all} WHERE generation = ${generation}`,
    options,
  );
  if (marks?.nodes === nodes) return;
  throw new ClusterUnavailableError(new GenerationMissingError(generation));
}

/** It was replaced by another one, or was never filled. */
export class GenerationMissingError extends Error {
  constructor(generation: string) {
    super(`${generation} is not in ClickHouse as a whole; keyrank publish --to clickhouse fills it`);
    this.name = 'GenerationMissingError';
  }
}
