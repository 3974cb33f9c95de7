// The questions of bench search, in memory and on a cluster, in turns.
import type { RankView } from '../../src/domain/store.ts';
import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import { readText } from '../../src/snapshot/format/text-column.ts';
import { presentPage } from '../../src/snapshot/query/present-page.ts';
import { type SearchOutcome, search } from '../../src/snapshot/query/search.ts';
import { compareTimes, type Times } from '../peers/compared-times.ts';
import { listCases, type SearchCase } from '../search/search-cases.ts';

export interface StoreCase {
  readonly name: string;
  readonly totalCount: number;
  readonly memory: Times;
  readonly cluster: Times;
  /** How many times as long the cluster takes, by the medians. */
  readonly ratio: number;
  readonly difference: string | undefined;
}

const NEVER_CANCELLED = { throwIfCancelled: (): void => {} };
const WARM_UP_ROUNDS = 50;

export async function compareStores({
  view,
  remote,
  rounds,
  onCase,
}: {
  readonly view: SnapshotView;
  readonly remote: RankView;
  readonly rounds: number;
  readonly onCase: (name: string) => void;
}): Promise<readonly StoreCase[]> {
  const { cases } = listCases(view);
  const searchHere = ({ plan }: SearchCase): SearchOutcome => search(view, plan, NEVER_CANCELLED);
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    for (const each of cases) presentPage(view, searchHere(each));
  }
  const results: StoreCase[] = [];
  for (const searchCase of cases) {
    const { name, plan } = searchCase;
    onCase(name);
    const own = searchHere(searchCase);
    const difference = await findDifference({ view, own, remote });
    const contenders = [() => presentPage(view, searchHere(searchCase)), () => remote.search(plan)];
    const [memory, cluster] = await compareTimes(contenders, rounds);
    if (!memory || !cluster) throw new Error(`${name} was not measured`);
    const ratio = cluster.medianMs / memory.medianMs;
    results.push({ name, totalCount: own.totalCount, memory, cluster, ratio, difference });
  }
  return results;
}

async function findDifference({
  view,
  own,
  remote,
}: {
  readonly view: SnapshotView;
  readonly own: SearchOutcome;
  readonly remote: RankView;
}): Promise<string | undefined> {
  const { totalCount, rows } = await remote.search(own.plan);
  if (totalCount !== own.totalCount) return `${totalCount} matches instead of ${own.totalCount}`;
  const terms = own.documents.map((document) => readText(view.terms, view.documentSlots[document] ?? 0));
  const at = terms.findIndex((term, i) => rows[i]?.normalizedSearchTerm !== term);
  if (at >= 0) return `another keyword at place ${at + 1}`;
  return rows.length === terms.length ? undefined : `${rows.length} keywords on the page`;
}
