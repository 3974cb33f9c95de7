// Requests that break exactly one rule, each with the refusal that the document promises for it.
import fc from 'fast-check';
import type { Operation } from './api-document.ts';
import { type Broken, brokenBodies } from './broken-bodies.ts';
import { brokenParameter, unknownNames } from './broken-parameters.ts';
import { type Draft, type Facts, isBodyTooLarge, type KeyKind, MAX_BODY_BYTES, MAX_TARGET_BYTES } from './draft.ts';
import { validDrafts, valuesOf } from './valid-drafts.ts';

type Change = Partial<Pick<Draft, 'query' | 'headers' | 'body' | 'key' | 'id'>>;
type Expected = Draft['expected'];

const INVALID: Expected = { status: 400, code: 'INVALID_PARAMETERS' };
const REFUSED_KEYS: readonly (readonly [KeyKind, Expected])[] = [
  ['none', { status: 401, code: 'UNAUTHORIZED' }],
  ['unknown', { status: 401, code: 'UNAUTHORIZED' }],
  ['malformed', { status: 401, code: 'UNAUTHORIZED' }],
  ['narrow', { status: 403, code: 'FORBIDDEN' }],
];
const BAD_HEADER_TEXTS = ['', 'two words', 'a'.repeat(256), 'caf\u00e9', '\t'];
const TOO_LARGE: Expected = { status: 413, code: 'PAYLOAD_TOO_LARGE' };

/** One arbitrary for each rule of the operation, so that rules with few values are broken as often as the others. */
export function brokenDrafts(operation: Operation, facts: Facts): readonly fc.Arbitrary<Draft>[] {
  const valid = validDrafts(operation, facts);
  const rules = [
    ...brokenQueries(operation, facts),
    ...brokenKeys(operation),
    ...brokenIds(operation),
    ...brokenHeaders(operation),
    ...(operation.body ? [...wholeBodies(), ...jsonBodies(operation.body, facts)] : []),
  ];
  return rules.map(({ rule, expected, values }) =>
    fc
      .tuple(valid, values)
      .map(([draft, change]): Draft => ({ ...draft, ...change(draft), expected, violated: rule }))
      .filter((draft) => expected === TOO_LARGE || !isBodyTooLarge(draft)),
  );
}

interface Rule extends Broken<(draft: Draft) => Change> {
  readonly expected: Expected;
}

function brokenQueries(operation: Operation, facts: Facts): Rule[] {
  const names = operation.query.map(({ name }) => name);
  const long = fc.constantFrom(MAX_TARGET_BYTES, MAX_TARGET_BYTES + 5000).map((length) => 'a'.repeat(length));
  return [
    {
      rule: 'unknown parameter',
      expected: INVALID,
      values: unknownNames(names).map((name) => ({ query }) => ({ query: { ...query, [name]: ['1'] } })),
    },
    {
      rule: 'target too long',
      expected: { status: 414, code: 'URI_TOO_LONG' },
      values: long.map((value) => () => ({ query: { [names[0] ?? 'query']: [value] } })),
    },
    ...operation.query.flatMap((parameter) =>
      brokenParameter(parameter, { valid: valuesOf(parameter, facts), facts }).map(({ rule, values }) => ({
        rule,
        expected: INVALID,
        values: values.map((broken) => ({ query }: Draft) => ({ query: { ...query, [parameter.name]: broken } })),
      })),
    ),
  ];
}

function brokenKeys({ isMetered, needsSubscription }: Operation): Rule[] {
  const inactive: readonly [KeyKind, Expected] = ['inactive', { status: 400, code: 'NO_ACTIVE_SUBSCRIPTION' }];
  const exhausted: readonly [KeyKind, Expected] = ['exhausted', { status: 429, code: 'RATE_LIMIT_EXCEEDED' }];
  const keys = [...REFUSED_KEYS, ...(needsSubscription ? [inactive] : []), ...(isMetered ? [exhausted] : [])];
  return keys.map(([key, expected]) => ({
    rule: `key: ${key}`,
    expected,
    values: fc.constant(() => ({ key })),
  }));
}

function brokenIds({ path }: Operation): Rule[] {
  if (/\{(asin|name)\}/.test(path)) return brokenPathKeys(path);
  if (!path.includes('{id}')) return [];
  const malformed = fc.constantFrom('x', '1', '%00', '%2e%2e', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11');
  return Object.entries({ unknown: fc.uuid(), malformed }).map(([name, texts]) => ({
    rule: `id: ${name}`,
    expected: { status: 404, code: 'NOT_FOUND' },
    values: texts.map((text) => () => ({ id: { text } })),
  }));
}

/** Of a product or a brand. */
function brokenPathKeys(path: string): Rule[] {
  const asins = ['a-b', '%C3%A9', '123456789012345678901', '%00'];
  const names = ['%20', '%00', 'a'.repeat(257)];
  const keys: readonly (readonly [string, Expected, readonly string[]])[] = [
    ['unknown', { status: 404, code: 'NOT_FOUND' }, ['ZZZZZZZZ99', 'zzzzzzzz99']],
    ['malformed', INVALID, path.includes('{asin}') ? asins : names],
  ];
  return keys.map(([name, expected, texts]) => ({
    rule: `path: ${name}`,
    expected,
    values: fc.constantFrom(...texts).map((text) => () => ({ id: { text } })),
  }));
}

function brokenHeaders(operation: Operation): Rule[] {
  return operation.headers.map(({ name }) => ({
    rule: `${name} is not of its form`,
    expected: INVALID,
    values: fc.constantFrom(...BAD_HEADER_TEXTS).map((text) => () => ({ headers: { [name]: text } })),
  }));
}

function wholeBodies(): Rule[] {
  const bytes = (...texts: readonly string[]) =>
    fc.constantFrom(...texts).map((text) => () => ({ body: Buffer.from(text, 'latin1') }));
  return [
    { rule: 'body is missing', expected: INVALID, values: fc.constant(() => ({ body: undefined })) },
    {
      rule: 'body is no JSON',
      expected: { status: 400, code: 'BAD_REQUEST' },
      values: bytes(
        '{',
        'a=1',
        '{"a":1,}',
        "{'a':1}",
        'undefined',
        '{} {}',
        '"\xff"',
        '\xff\xfe{\0}\0',
        '\x1f\x8b\x08',
      ),
    },
    {
      rule: 'body is too large',
      expected: TOO_LARGE,
      values: bytes(`"${'a'.repeat(MAX_BODY_BYTES - 1)}"`),
    },
  ];
}

function jsonBodies(schema: NonNullable<Operation['body']>, facts: Facts): Rule[] {
  return brokenBodies(schema, facts).map(({ rule, values }) => ({
    rule,
    expected: INVALID,
    values: values.map((body) => () => ({ body })),
  }));
}
