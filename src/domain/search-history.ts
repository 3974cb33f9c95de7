import type { Tenant } from './account.ts';
import type { Slice } from './page.ts';

/** What is kept of the parameters of one search. */
const MAX_ENTRY_CHARACTERS = 1_200;
/** What is kept of one parameter where all of them together are too long. */
const MAX_PARAMETER_CHARACTERS = 150;

/** In what is kept of long parameters: by parameter, how many values were left out or cut short. */
const ABBREVIATED = 'abbreviated';

/** Parameters as the history keeps them: those of a common search as they are, and of a long one what a person needs. */
export function abbreviateParameters(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (JSON.stringify(parameters).length <= MAX_ENTRY_CHARACTERS) return parameters;
  const counts: Record<string, number> = {};
  const kept = Object.entries(parameters).map(([name, value]) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const short = abbreviateValues(values);
    const whole = values.filter((each, i) => each === short[i]).length;
    if (values.length > whole) counts[name] = values.length - whole;
    return [name, Array.isArray(value) ? short : short[0]];
  });
  return { ...Object.fromEntries(kept), [ABBREVIATED]: counts };
}

/** The first values, whole as long as there is room; of the first one always something. */
function abbreviateValues(values: readonly unknown[]): readonly unknown[] {
  const kept: unknown[] = [];
  let left = MAX_PARAMETER_CHARACTERS;
  for (const value of values) {
    left -= JSON.stringify(value).length;
    if (left < 0) return kept.length === 0 ? [cutText(String(value))] : kept;
    kept.push(value);
  }
  return kept;
}

/** Its first characters. They count as they are written in JSON, where some take six times their length. */
function cutText(text: string): string {
  let kept = '';
  for (const character of text) {
    if (JSON.stringify(kept + character).length > MAX_PARAMETER_CHARACTERS) break;
    kept += character;
  }
  return `${kept}…`;
}

export interface HistoryPage {
  /** JSON, as it is shown, with commas between: to parse a megabyte and to write it again would hold up everyone else. */
  readonly entriesJson: string;
  readonly totalCount: number;
}

export interface SearchResultCount {
  readonly tenant: Tenant;
  readonly searchId: string;
  readonly resultCount: number;
}

/** What each user searched for in each organization. Entries are written on admission, see RateLimiter. */
export interface SearchHistory {
  /** The tenant's own searches, newest first. */
  list(tenant: Tenant, slice: Slice): Promise<HistoryPage>;
  /** Notes how many results a search had; it is written soon, and the answer does not wait for it. */
  recordResultCount(result: SearchResultCount): void;
  /** Removes every search of the tenant and says how many there were. */
  deleteAll(tenant: Tenant): Promise<number>;
}
