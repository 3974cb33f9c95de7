// Searches of the history: what each was, and the way back to it.
import type { HistoryEntry } from '../api/wire.ts';
import { addressOf } from '../app/location.ts';
import { formatNumber } from '../parts/format.ts';
import { describeFilters } from './search-filters.ts';

const NAMED = 3;

export interface PastSearch {
  /** Undefined where it cannot be repeated. */
  readonly address: string | undefined;
  readonly text: string;
  /** All that was asked for, which tells it from others. */
  readonly whole: string;
  /** What else was asked for: frequency, method, filters. Empty for a plain search. */
  readonly detail: string;
}

/** Left out of addresses: what the page asks for anyway, and the page of the list, which is where somebody looked and not what for. */
const LEFT_OUT: Readonly<Record<string, unknown>> = {
  method: 'similar',
  type: 'monthly',
  limit: 100,
  order_by: 'best_match',
  exclude_nulls: false,
  format: 'raw',
};

/** Where somebody looked, and what the page asks for with every search. */
const NEVER: ReadonlySet<string> = new Set(['page', 'abbreviated', 'include']);

export function describeSearch({ endpoint, parameters }: HistoryEntry): PastSearch {
  const params = new URLSearchParams();
  // Long lists are kept in part only: to search for that part would be another search.
  const isWhole = parameters.abbreviated === undefined;
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null || LEFT_OUT[name] === value || NEVER.has(name)) continue;
    for (const each of Array.isArray(value) ? value : [value]) params.append(name, String(each));
  }
  const remark = isWhole ? [] : ['kept in part, too long to repeat'];
  if (endpoint === '/v1/search/keyword' || endpoint === '/v1/search/keyword/history') {
    return {
      address: isWhole ? addressOf('/keyword', params) : undefined,
      ...nameAll(params.getAll('term'), ', '),
      detail: ['one keyword', ...marketplaceOf(params), ...remark].join(' · '),
    };
  }
  const holder = Object.entries(HOLDERS).find(([start]) => endpoint.startsWith(start))?.[1];
  if (holder) return describeHolder(params, { ...holder, remark, isWhole });
  const isKeywords = endpoint === '/v1/search/keywords';
  const subject = isKeywords ? 'query' : 'asin';
  const details = [
    ...(isKeywords ? [] : ['products']),
    ...['method', 'type'].flatMap((name) => params.get(name) ?? []),
    ...marketplaceOf(params),
    ...describeFilters(params),
    ...remark,
  ];
  return {
    address: isWhole && isKeywords ? addressOf('/', params) : undefined,
    ...nameAll(params.getAll(subject), isKeywords ? ' or ' : ', ', countOf(parameters, subject)),
    detail: details.join(' · '),
  };
}

/** The views of products and brands, which ask for several things at once. */
const HOLDERS: Readonly<Record<string, { readonly path: string; readonly word: string; readonly subject: string }>> = {
  '/v1/products/': { path: '/product', word: 'product', subject: 'asin' },
  '/v1/brands/': { path: '/brand', word: 'brand', subject: 'name' },
};

function describeHolder(
  params: URLSearchParams,
  {
    path,
    word,
    subject,
    remark,
    isWhole,
  }: (typeof HOLDERS)[string] & {
    readonly remark: readonly string[];
    readonly isWhole: boolean;
  },
): PastSearch {
  const subjects = params.getAll(subject);
  const kept = [...params].filter(([name]) => [subject, 'type', 'marketplace', 'mode'].includes(name));
  return {
    address: isWhole ? addressOf(path, new URLSearchParams(kept)) : undefined,
    ...nameAll(subjects, ', '),
    detail: [
      subjects.length > 1 ? `${word}s` : word,
      ...params.getAll('type'),
      ...marketplaceOf(params),
      ...remark,
    ].join(' · '),
  };
}

/** Of a list that was kept in part, how long it was. */
function countOf({ abbreviated }: HistoryEntry['parameters'], name: string): number | undefined {
  return (abbreviated as Readonly<Record<string, number>> | undefined)?.[name];
}

/** The first few, and how many more. */
function nameAll(names: readonly string[], between: string, count = names.length) {
  const more = count - NAMED;
  const text = names.slice(0, NAMED).join(between);
  return { text: more > 0 ? `${text} and ${formatNumber(more)} more` : text, whole: names.join(between) };
}

function marketplaceOf(params: URLSearchParams): readonly string[] {
  return params.getAll('marketplace');
}

/** Those that can be repeated, each once, however it was ordered and paged. */
export function listDistinctSearches(entries: readonly HistoryEntry[]) {
  const seen = new Set<string>();
  return entries.flatMap((entry) => {
    const search = describeSearch(entry);
    const key = JSON.stringify([search.whole.toLowerCase(), search.detail]);
    if (search.address === undefined || seen.has(key)) return [];
    seen.add(key);
    return [{ entry, search }];
  });
}

export function PastSearchName({ search: { address, text, detail } }: { readonly search: PastSearch }) {
  const name = (
    <>
      {text}
      {detail && <small class="muted"> {detail}</small>}
    </>
  );
  return address === undefined ? (
    <span>{name}</span>
  ) : (
    <a href={address} data-view>
      {name}
    </a>
  );
}
