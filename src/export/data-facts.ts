// What every About sheet says of the data that a file was made from.
import { type Frequency, type Period, periodKey } from '../domain/period.ts';
import type { AboutSection, Fact } from './table.ts';

export interface DataDescription {
  readonly rowCount: number;
  readonly frequency: Frequency;
  /** Oldest first. */
  readonly periods: readonly Period[];
  /** In words: `Pro: the last 24 months`. */
  readonly planWindow: string;
  readonly dataVersion: string;
  readonly exportedAtMs: number;
}

export function dataFacts(data: DataDescription): readonly Fact[] {
  return [
    ['Rows', data.rowCount],
    ['Frequency', data.frequency],
    ['Periods', spanOf(data.periods)],
    ['Plan window', data.planWindow],
    ['Data version', data.dataVersion],
    ['Exported at', new Date(data.exportedAtMs)],
  ];
}

/** What members noted of the days that the file covers; no section without any. */
export function eventSection(
  events: readonly { readonly date: string; readonly text: string }[],
): readonly AboutSection[] {
  if (events.length === 0) return [];
  return [{ heading: 'Events', facts: events.map(({ date, text }): Fact => [date, text]) }];
}

function spanOf(periods: readonly Period[]): string {
  const [first] = periods;
  const last = periods.at(-1);
  if (!first || !last) return 'none yet';
  return first === last ? periodKey(first) : `${periodKey(first)} to ${periodKey(last)} (${periods.length})`;
}
