// Values that a schema allows, with a liking for its limits.
import fc from 'fast-check';
import { TEXT_PAYLOADS } from '../../support/text-payloads.ts';
import type { Schema } from './api-document.ts';
import type { Facts } from './draft.ts';

/** Of one, two, three and four bytes, and none of them changed by NFC. */
const WIDE = ['a', 'é', '靴', '😀'];
const LONE_SURROGATE = /\p{Cs}/u;
const BLANK = /^[\s\p{Cc}\p{Cf}\uFFFC]*$/u;

export function integers({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): fc.Arbitrary<number> {
  const near = Math.min(maximum, minimum + 100);
  return fc.oneof(
    fc.constant(minimum),
    fc.integer({ min: minimum, max: near }),
    fc.integer({ min: minimum, max: maximum }),
    fc.constant(maximum),
  );
}

/** Plain decimals, as the query string takes them. */
export function decimals({ minimum, exclusiveMinimum = 0, maximum = 1_000_000 }: Schema): fc.Arbitrary<string> {
  if (minimum !== undefined) {
    const within = fc.integer({ min: Math.max(minimum, -1e6), max: Math.min(maximum, 1e6) - 1 });
    return fc.oneof(
      fc.constantFrom(String(minimum), String(maximum), '0', '0.0'),
      within.map(String),
      fc
        .tuple(within, fc.stringMatching(/^[0-9]{0,12}[1-9]$/))
        .map(([above, below]) => `${Math.max(above, 0)}.${below}`),
    );
  }
  const whole = fc.integer({ min: exclusiveMinimum + 1, max: maximum });
  const fraction = fc.tuple(fc.integer({ min: 0, max: 9_999 }), fc.stringMatching(/^[0-9]{0,12}[1-9]$/));
  return fc.oneof(
    whole.map(String),
    fc.constantFrom(String(maximum), '0.00000001'),
    fraction.map(([above, below]) => `${above}.${below}`),
  );
}

/** Texts between the limits, counted as the service does: trimmed, in NFC, by character. */
export function texts({ minLength = 0, maxLength = 256 }: Schema, facts: Facts): fc.Arbitrary<string> {
  const isValid = (text: string) => {
    const length = [...text.normalize('NFC').trim()].length;
    return length >= minLength && length <= maxLength && !text.includes('\0') && (minLength === 0 || !BLANK.test(text));
  };
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.constantFrom(...facts.texts) },
      { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: Math.min(60, maxLength) }) },
      { weight: 2, arbitrary: fc.constantFrom(...TEXT_PAYLOADS.filter((text) => !LONE_SURROGATE.test(text))) },
      { weight: 1, arbitrary: fc.constantFrom(...WIDE).map((character) => character.repeat(maxLength)) },
      { weight: 1, arbitrary: fc.constantFrom(...WIDE).map((character) => ` ${character.repeat(maxLength)}\t`) },
    )
    .filter(isValid);
}

/** Any JSON value that a schema of a body allows. */
export function bodyValues(schema: Schema, facts: Facts): fc.Arbitrary<unknown> {
  // What names an item that has to be there is left out.
  const choices = schema.anyOf?.filter(({ properties }) => !properties?.list_id);
  if (choices) return fc.oneof(...choices.map((each) => bodyValues(each, facts)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return objects(schema, facts);
    case 'array': {
      const { items = {}, minItems = 0, maxItems = 20 } = schema;
      const few = fc.array(bodyValues(items, facts), { minLength: minItems, maxLength: Math.min(5, maxItems) });
      const full = bodyValues(items, facts).map((value) => Array.from({ length: maxItems }, () => value));
      return fc.oneof({ weight: 20, arbitrary: few }, { weight: 1, arbitrary: full });
    }
    case 'string':
      return strings(schema, facts);
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integers(schema);
    case 'number': {
      const { minimum: min = -1e9, maximum: max = 1e9 } = schema;
      return fc.oneof(fc.double({ min, max, noNaN: true }), fc.constantFrom(min, max, 0));
    }
    default:
      throw new Error(`A body of type ${JSON.stringify(schema.type)} is new to the fuzzer.`);
  }
}

/** What stands in the page's address bar. */
const PAGE_ADDRESSES = ['/', '/?query=shoes&min_rank=5', '/keyword?term=shoes', '/trends?list=new', '/tracked'];

function strings(schema: Schema, facts: Facts): fc.Arbitrary<string> {
  const { format, pattern = '' } = schema;
  if (format === 'uri') return addresses();
  if (format === 'uuid') return fc.uuid();
  if (format === 'date') return dates();
  if (pattern === 'query=') return fc.constantFrom('query=shoes', '?query=a&type=weekly&max_rank=10');
  if (pattern === '^[A-Za-z]{2}$') return fc.constantFrom(...facts.marketplaces);
  if (pattern === '^/') return fc.constantFrom(...PAGE_ADDRESSES);
  return pattern.includes('A-Za-z0-9') ? fc.stringMatching(new RegExp(pattern, 'u')) : texts(schema, facts);
}

export function dates(): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: 20_000 }).map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
}

function objects({ properties = {}, required = [], minProperties = 0 }: Schema, facts: Facts): fc.Arbitrary<object> {
  const values = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, bodyValues(schema, facts)]),
  );
  return fc
    .record(values, { requiredKeys: [...required], noNullPrototype: true })
    .filter((value) => Object.keys(value).length >= minProperties);
}

function addresses(): fc.Arbitrary<string> {
  const names = fc.domain().filter((name) => !/(^|\.)localhost$/.test(name));
  return fc
    .tuple(names, fc.option(fc.webPath(), { nil: '' }), fc.option(fc.webQueryParameters(), { nil: undefined }))
    .map(([name, path, query]) => `https://${name}${path}${query === undefined ? '' : `?${query}`}`)
    .filter((text) => text.length <= 2048);
}
