import fc from 'fast-check';
import type { ApiParameter, Operation, Schema } from './api-document.ts';
import { type Draft, type Facts, isBodyTooLarge, MAX_TARGET_BYTES, targetOf } from './draft.ts';
import { bodyValues, dates, decimals, integers, texts } from './valid-values.ts';

/** Stands for "some period of the window", until it is known which frequency was asked for. */
const PERIOD_PLACE = '{period}';
const ANY_ID = '00000000-0000-4000-8000-000000000000';

/** Requests that break no rule of the document. */
export function validDrafts(operation: Operation, facts: Facts): fc.Arbitrary<Draft> {
  return fc
    .record({
      query: queries(operation, facts),
      headers: headersOf(operation),
      body: operation.body ? bodyValues(operation.body, facts) : fc.constant(undefined),
    })
    .map((parts): Draft => {
      const expected = { status: operation.successStatus, code: undefined };
      return { operation, ...parts, key: 'good', id: 'own', expected, violated: undefined };
    })
    .filter((draft) => targetOf(draft, ANY_ID).length <= MAX_TARGET_BYTES && !isBodyTooLarge(draft));
}

function queries(operation: Operation, facts: Facts): fc.Arbitrary<Draft['query']> {
  const values = Object.fromEntries(operation.query.map((each) => [each.name, valuesOf(each, facts)]));
  const required = operation.query.filter((each) => each.required).map(({ name }) => name);
  // Filters that are all given at once leave nothing: half of the requests have few.
  const optional = Object.keys(values).filter((name) => !required.includes(name));
  const few = fc.subarray(optional, { maxLength: Math.min(2, optional.length) });
  const given = fc.oneof(few, fc.subarray(optional));
  return fc.tuple(fc.record(values, { noNullPrototype: true }), given, fc.nat()).map(([all, names, n]) => {
    const query = Object.fromEntries([...required, ...names].map((name) => [name, all[name] ?? []]));
    return placePeriod(query, { n, windows: facts.windows });
  });
}

/** A period key means nothing without its frequency, and one that is compared with another stands before it. */
function placePeriod(
  query: Readonly<Record<string, readonly string[]>>,
  { n, windows }: { readonly n: number; readonly windows: Facts['windows'] },
): Draft['query'] {
  const type = { M: 'monthly', W: 'weekly' }[query.type?.[0] ?? ''] ?? query.type?.[0] ?? 'monthly';
  const newestFirst = windows[type] ?? [];
  const spelled = (key = '') => [key, key.replace(/^0/, ''), `0${key}`][n % 3] ?? key;
  const placed = Object.entries(query).map(([name, values]) => {
    if (values[0] !== PERIOD_PLACE) return [name, values];
    if (name === 'compare_to') return [name, [spelled(newestFirst.at(-1))]];
    const choices = name === 'period' ? newestFirst.slice(0, -1) : newestFirst;
    const key = choices[n % choices.length];
    return [name, [name === 'period' ? key : spelled(key)]];
  });
  return Object.fromEntries(placed);
}

export function valuesOf({ name, schema }: ApiParameter, facts: Facts): fc.Arbitrary<readonly string[]> {
  if (schema.type !== 'array') return scalars({ name, schema, facts }).map((value) => [value]);
  const { items = {}, minItems = 1, maxItems = 50 } = schema;
  const item = scalars({ name, schema: items, facts });
  const few = fc.array(item, { minLength: minItems, maxLength: Math.min(4, maxItems) });
  const full = fc.array(item, { minLength: maxItems, maxLength: maxItems });
  return fc.oneof({ weight: 30, arbitrary: few }, { weight: 1, arbitrary: full });
}

function scalars(value: {
  readonly name: string;
  readonly schema: Schema;
  readonly facts: Facts;
}): fc.Arbitrary<string> {
  const { name, schema, facts } = value;
  if (schema.enum) return fc.constantFrom(...schema.enum.map(String));
  if (schema.type === 'boolean') return fc.constantFrom('true', 'false');
  if (schema.type === 'integer') return integers(schema).map(String);
  if (schema.type === 'number') return decimals(schema);
  if (Array.isArray(schema.type)) {
    return fc.oneof(integers(schema).map(String), fc.constantFrom('', 'null'));
  }
  if (name === 'marketplace') return fc.constantFrom(...facts.marketplaces);
  if (name === 'period' || name === 'first_seen_since') return fc.constant(PERIOD_PLACE);
  if (name === 'order_by' || name === 'compare_to') return orders(schema.pattern ?? '');
  if (name === 'list') return fc.uuid();
  if (name === 'from' || name === 'to') return dates();
  if (name === 'asin') {
    return fc.oneof(fc.constantFrom(...facts.asins), fc.stringMatching(/^[A-Za-z0-9]{1,20}$/));
  }
  return fc.tuple(texts(schema, facts), fc.boolean()).map(([text, plus]) => encode(text, plus));
}

/** The named orders of a pattern, and the place of a period. */
function orders(pattern: string): fc.Arbitrary<string> {
  return fc.constantFrom(...(pattern.match(/[a-z]+(_[a-z]+)+/g) ?? []), PERIOD_PLACE, PERIOD_PLACE);
}

function headersOf(operation: Operation): fc.Arbitrary<Record<string, string>> {
  const values = Object.fromEntries(
    operation.headers.map(({ name, schema }) => [name, fc.stringMatching(new RegExp(schema.pattern ?? '', 'u'))]),
  );
  return fc.record(values, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<Record<string, string>>;
}

function encode(text: string, plus: boolean): string {
  const encoded = encodeURIComponent(text);
  return plus ? encoded.replaceAll('%20', '+') : encoded;
}
