// The calls that a shared thing needs. The marketplace is always named: what is shared stays what it is when the default changes.
import { MAX_LIST_ITEMS } from '../../domain/keyword-list.ts';
import type { Frequency } from '../../domain/period.ts';
import { canonicalTarget, type NewShare } from '../../domain/share.ts';
import { type ParameterValues, parseParameters } from '../parameters.ts';
import { parseQueryString } from '../query-string.ts';
import { searchParameters } from './search-parameters.ts';
import { MAX_SHARED_TERMS } from './share-fields.ts';

export type SharedThing = Pick<NewShare, 'kind' | 'title' | 'targets' | 'listId'>;

interface SharedSearch {
  readonly thing: SharedThing;
  readonly values: ParameterValues<typeof searchParameters>;
}

interface Marketplaces {
  readonly defaultMarketplace: string;
}

interface Chart {
  readonly terms: readonly string[];
  readonly type: Frequency;
  readonly marketplace: string | undefined;
}

const PAGE = 1000;

/** All ranks of its keywords, the periods, and what the top three of the first were. */
export function targetsOfChart(
  { terms, type, marketplace }: Chart,
  { defaultMarketplace }: Marketplaces,
): SharedSearch {
  const place = { type, marketplace: marketplace ?? defaultMarketplace };
  const distinct = [...new Set(terms)];
  const query = new URLSearchParams({ method: 'exact', limit: String(MAX_SHARED_TERMS), ...place });
  for (const term of distinct) query.append('query', term);
  const targets = [
    targetOf('/v1/search/keywords', query),
    targetOf('/v1/periods', new URLSearchParams({ marketplace: place.marketplace })),
    targetOf('/v1/search/keyword/history', new URLSearchParams({ term: distinct[0] ?? '', ...place })),
  ];
  const values = parseParameters(searchParameters, query.toString());
  return { thing: { kind: 'chart', title: distinct.join(', '), targets, listId: null }, values };
}

/** One page of results, and the periods. */
export function targetsOfSearch(queryString: string, { defaultMarketplace }: Marketplaces): SharedSearch {
  const values = parseParameters(searchParameters, latin1(queryString.replace(/^\?/, '')));
  const marketplace = values.marketplace ?? defaultMarketplace;
  const given = new Map([...parseQueryString(latin1(queryString.replace(/^\?/, ''))), ['marketplace', [marketplace]]]);
  const targets = [
    canonicalTarget('/v1/search/keywords', given),
    targetOf('/v1/periods', new URLSearchParams({ marketplace })),
  ];
  const title = values.query.join(', ');
  return { thing: { kind: 'search', title, targets, listId: null }, values: { ...values, marketplace } };
}

/** The list, and as many pages of items as it can have. */
export function listTargets(id: string): readonly string[] {
  const path = `/v1/lists/${id}`;
  const pages = Array.from({ length: MAX_LIST_ITEMS / PAGE }, (_, i) =>
    targetOf(`${path}/items`, new URLSearchParams({ limit: String(PAGE), offset: String(i * PAGE) })),
  );
  return [path, ...pages];
}

function targetOf(path: string, params: URLSearchParams): string {
  const names = [...new Set(params.keys())];
  return canonicalTarget(path, new Map(names.map((name) => [name, params.getAll(name)])));
}

/** A query string of an address is bytes; one of a body is text. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
