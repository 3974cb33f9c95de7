import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from './database.ts';

/** Resolves when everyone has been told of all that was published. */
export async function untilTold({ operator }: Pick<TestDatabase, 'operator'>): Promise<void> {
  const count = async () => (await operator.query('SELECT FROM publications')).rowCount;
  while (await count()) await sleep(20);
}

const HEADER = 'period_type,period,search_term,rank\n';

/** A plain report of one period. */
export function plainReport(
  { frequency, period }: { readonly frequency: 'monthly' | 'weekly'; readonly period: string },
  ranks: Readonly<Record<string, number>>,
): string {
  const lines = Object.entries(ranks).map(([term, rank]) => `${frequency},${period},${term},${rank}\n`);
  return HEADER + lines.join('');
}
