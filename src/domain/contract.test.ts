// The closed lists and the limits of the domain against what stands elsewhere: the API document that clients are made from, and the
// checks in the database. A name that is lost or misspelled here breaks both.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DICTIONARY_KINDS } from '../snapshot/manifest/manifest.ts';
import { SCOPES, SUBSCRIPTION_STATUSES } from './account.ts';
import { ERROR_CODES } from './error.ts';
import { MAX_EXPORT_ROWS, MAX_RUNNING_EXPORTS } from './export-gate.ts';
import { FILE_FORMATS, MAX_PRODUCTS, VALUE_FORMATS } from './keyword-export.ts';
import { METERS } from './meter.ts';
import { FREQUENCIES } from './period.ts';
import { MAX_PERIOD_LIMIT, MAX_SEARCHES_PER_HOUR, OWNER, PLAN_NAME_PATTERN, PRO, STUDIO } from './plan.ts';
import { MAX_RANK } from './ranking.ts';
import {
  DEFAULT_SEARCH_LIMIT,
  MAX_SEARCH_LIMIT,
  ORDER_DIRECTIONS,
  ordersAbout,
  SEARCH_METHODS,
  SEARCH_ORDERS,
  SHARE_ORDERS,
} from './search-query.ts';
import { RANK_SOURCES } from './store.ts';
import { MAX_TEXT_CHARACTERS } from './term.ts';
import { MAX_IDEMPOTENCY_KEYS, MAX_NOTES_CHARACTERS } from './tracked-item.ts';
import {
  DEFAULT_PRIORITY_RULE,
  MAX_ACTIVE_KEYWORDS,
  MAX_TRACKED_KEYWORDS,
  PRIORITY_FIELDS,
  PRIORITY_OPERATORS,
} from './tracked-keyword.ts';
import { CHANGE_DIRECTIONS, CHANGE_ORDERS, NEW_ORDERS, SOCIAL_ORDERS } from './trend.ts';
import {
  DELIVERY_STATUSES,
  MAX_WEBHOOK_URL_CHARACTERS,
  MAX_WEBHOOKS,
  PAUSE_REASONS,
  WEBHOOK_EVENTS,
} from './webhook.ts';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const document = JSON.parse(read('openapi.json'));
const MIGRATIONS = 'src/postgres/migrations';
const migrations = readdirSync(fileURLToPath(new URL(`../../${MIGRATIONS}`, import.meta.url)))
  .map((name) => read(`${MIGRATIONS}/${name}`))
  .join('\n');

/** Every list of allowed values in the document. */
function listEnums(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = 'enum' in node && Array.isArray(node.enum) ? [node.enum.join(' ')] : [];
  return [...own, ...Object.values(node).flatMap(listEnums)];
}

function findParameter(path: string, name: string) {
  const parameters: readonly { readonly name: string }[] = document.paths[path].get.parameters;
  return (parameters.find((parameter) => parameter.name === name) as { schema: Record<string, unknown> } | undefined)
    ?.schema;
}

describe('the API document', () => {
  const enums = new Set(listEnums(document));

  it.each<readonly (string | readonly string[])[]>([
    ['error codes', ERROR_CODES],
    ['frequencies', FREQUENCIES],
    ['search methods', SEARCH_METHODS],
    [
      'directions, in small and capital letters',
      [...ORDER_DIRECTIONS, ...ORDER_DIRECTIONS.map((each) => each.toUpperCase())],
    ],
    ['value formats', VALUE_FORMATS],
    ['file formats', FILE_FORMATS],
    ['orders of changes', CHANGE_ORDERS],
    ['directions of changes', CHANGE_DIRECTIONS],
    ['orders of social ranks', SOCIAL_ORDERS],
    ['orders of new terms', NEW_ORDERS],
    ['fields of a priority rule', PRIORITY_FIELDS],
    ['operators of a priority rule', PRIORITY_OPERATORS],
    ['webhook events', WEBHOOK_EVENTS],
    ['statuses of a delivery', DELIVERY_STATUSES],
    ['sources', RANK_SOURCES],
  ])('lists the %s', (_what, names) => {
    expect(enums).toContain((names as readonly string[]).join(' '));
  });

  it('lists the orders of both searches', () => {
    const period = '[0-9]{1,3}-[0-9]{4}';
    expect(findParameter('/v1/search/keywords', 'order_by')?.pattern).toBe(
      `^(${[...SEARCH_ORDERS, period].join('|')})$`,
    );
    const pattern = String(findParameter('/v1/search/asin', 'order_by')?.pattern);
    expect(
      pattern.endsWith(`|total_periods|${[...SHARE_ORDERS, ...ordersAbout('insights'), period].join('|')})$`),
    ).toBe(true);
  });

  it('has a field for each meter', () => {
    const schema = document.paths['/v1/meters'].get.responses['200'].content['application/json'].schema;
    expect(Object.keys(schema.properties)).toEqual([...METERS, 'error']);
  });

  it('names each scope where it is needed', () => {
    const needed = [...JSON.stringify(document).matchAll(/scope `([a-z:]+)`/g)].map((match) => match[1]);
    expect(new Set(needed)).toEqual(new Set(SCOPES));
  });

  it('states the limits', () => {
    expect(findParameter('/v1/search/keywords', 'limit')).toMatchObject({
      maximum: MAX_SEARCH_LIMIT,
      default: DEFAULT_SEARCH_LIMIT,
    });
    expect(findParameter('/v1/search/keywords', 'query')).toMatchObject({ items: { maxLength: MAX_TEXT_CHARACTERS } });
    expect(findParameter('/v1/search/keywords', 'min_rank')).toMatchObject({ maximum: MAX_RANK });
    const text = JSON.stringify(document.paths);
    const stated = [
      `every match, up to ${MAX_EXPORT_ROWS.toLocaleString('en')}.`,
      `At most ${MAX_RUNNING_EXPORTS} at a time per organization`,
      `up to ${MAX_ACTIVE_KEYWORDS} at once`,
      `At most ${MAX_WEBHOOKS} per organization.`,
      `"maxLength":${MAX_NOTES_CHARACTERS}`,
      `of each user the last ${MAX_IDEMPOTENCY_KEYS} keys are`,
      `"maxLength":${MAX_WEBHOOK_URL_CHARACTERS}}`,
    ];
    expect(stated.filter((each) => !text.includes(each))).toEqual([]);
    expect(read('docs/tracking.md')).toContain(
      `and ${MAX_TRACKED_KEYWORDS.toLocaleString('en')} tracked with the paused ones`,
    );
  });
});

describe('the database', () => {
  it.each<readonly (string | readonly string[])[]>([
    ['status', SUBSCRIPTION_STATUSES],
    ['status', DELIVERY_STATUSES],
    ['meter', METERS],
    ['source', RANK_SOURCES],
    ['frequency', FREQUENCIES],
    ['kind', DICTIONARY_KINDS],
    ['paused_reason', PAUSE_REASONS],
  ])('allows as a %s what the domain knows: %j', (column, names) => {
    const list = (names as readonly string[]).map((name) => `'${name}'`).join(', ');
    expect(migrations).toContain(`CHECK (${column} IN (${list}))`);
  });

  it('bounds plans as the domain does, and has those that ship', () => {
    expect(migrations).toContain(`CHECK (name ~ '${PLAN_NAME_PATTERN.source}')`);
    expect(migrations).toContain(`BETWEEN 1 AND ${MAX_SEARCHES_PER_HOUR})`);
    for (const name of ['months', 'weeks']) {
      expect(migrations).toContain(`${name} integer CHECK (${name} BETWEEN 1 AND ${MAX_PERIOD_LIMIT})`);
    }
    const sql = (limit: number | 'all') => (limit === 'all' ? 'NULL' : limit);
    for (const { name, searchesPerHour, months, weeks } of [PRO, STUDIO, OWNER]) {
      expect(migrations).toContain(`('${name}', ${searchesPerHour}, ${sql(months)}, ${sql(weeks)}, true)`);
    }
  });
});

describe('the contract', () => {
  // Spec 2.3 and 2.5.
  it('has three products a keyword, and tracks what comes under rank 1000 unless told otherwise', () => {
    expect(MAX_PRODUCTS).toBe(3);
    expect(DEFAULT_PRIORITY_RULE).toEqual({ field: 'latest_rank', operator: 'lt', value: 1000 });
  });
});
