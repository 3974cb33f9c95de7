// Bodies that break exactly one rule of their schema.
import fc from 'fast-check';
import type { Schema } from './api-document.ts';
import type { Facts } from './draft.ts';
import { bodyValues } from './valid-values.ts';

export interface Broken<T> {
  readonly rule: string;
  readonly values: fc.Arbitrary<T>;
}

const UNKNOWN_FIELDS = ['zzz', 'search_terms', 'Notes', '__proto__', 'constructor', 'id', ''];
const BAD_ADDRESSES = [
  ...['', 'x', 'hooks.example.com', '//hooks.example.com', 'ftp://hooks.example.com', 'http://hooks.example.com/'],
  ...['https://', 'https://user:word@hooks.example.com', 'https://hooks.example.com/#part', 'https://localhost/'],
  ...['https://127.0.0.1/', 'https://10.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/', 'https://0x7f.1/'],
];

/** @param name how the value is called in the rules, such as keywords[].notes */
export function brokenBodies(schema: Schema, facts: Facts, name = 'body'): readonly Broken<unknown>[] {
  if (schema.anyOf) {
    const mayBeNull = schema.anyOf.some(({ type }) => type === 'null');
    return schema.anyOf
      .filter(({ type }) => type !== 'null')
      .flatMap((each) => brokenBodies(each, facts, name))
      .map(({ rule, values }) => ({ rule, values: values.filter((value) => !mayBeNull || value !== null) }));
  }
  const broken = (rule: string, values: fc.Arbitrary<unknown>): Broken<unknown> => ({
    rule: `${name} ${rule}`,
    values,
  });
  const wrong = (rule: string, ...values: readonly unknown[]) => broken(rule, fc.constantFrom(...values));
  if (schema.enum) return [wrong('is not one of the choices', '', 'zzz', null, 1, [], schema.enum.map(String).join())];
  switch (schema.type) {
    case 'object':
      return [wrong('is no object', [], null, 'x', 1, true), ...brokenObjects(schema, facts, name)];
    case 'array':
      return [wrong('is no list', {}, null, 'x', 1), ...brokenLists(schema, facts, name)];
    case 'string': {
      const { minLength = 0, maxLength = 256 } = schema;
      return [
        wrong('is no text', null, 1, true, [], {}),
        wrong(
          'is too long',
          'a'.repeat(maxLength + 1),
          '😀'.repeat(maxLength + 1),
          `https://a.example/${'a'.repeat(maxLength)}`,
        ),
        wrong('holds what no text may', 'a\0b', 'https://a.example/\0', '\ud800', 'a\udfff'),
        ...(minLength > 0 ? [wrong('is blank', '', ' ', '\t\n', '\u200b', '\ufffc')] : []),
        ...(schema.format === 'uri' ? [wrong('is no public https address', ...BAD_ADDRESSES)] : []),
      ];
    }
    case 'boolean':
      return [wrong('is not true or false', 'true', 1, 0, null, [])];
    case 'integer': {
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
      return [
        wrong('is no whole number', '1', 1.5, null, true, []),
        wrong('is out of range', minimum - 1, maximum + 1),
      ];
    }
    case 'number': {
      const { minimum = 0, maximum = 0 } = schema;
      return [wrong('is no number', '1', null, true, []), wrong('is out of range', minimum - 1, maximum + 1, 1e308)];
    }
    default:
      throw new Error(`A body of type ${JSON.stringify(schema.type)} is new to the fuzzer.`);
  }
}

function brokenObjects(schema: Schema, facts: Facts, name: string): Broken<unknown>[] {
  const { properties = {}, required = [], minProperties = 0 } = schema;
  const valid = bodyValues(schema, facts) as fc.Arbitrary<Readonly<Record<string, unknown>>>;
  const unknown = fc.tuple(valid, fc.constantFrom(...UNKNOWN_FIELDS)).map(([value, field]) => ({
    // Not a plain assignment, which would make a prototype of one of them.
    ...value,
    ...JSON.parse(`{${JSON.stringify(field)}: 1}`),
  }));
  const part = (field: string) => (name === 'body' ? field : `${name}.${field}`);
  return [
    { rule: `${name} has an unknown field`, values: unknown },
    ...(minProperties > 0 ? [{ rule: `${name} is empty`, values: fc.constant({}) }] : []),
    ...required.map((field) => ({
      rule: `${part(field)} is missing`,
      values: valid.map((value) => Object.fromEntries(Object.entries(value).filter(([each]) => each !== field))),
    })),
    ...Object.entries(properties).flatMap(([field, each]) =>
      brokenBodies(each, facts, part(field)).map(({ rule, values }) => ({
        rule,
        values: fc.tuple(valid, values).map(([value, bad]) => ({ ...value, [field]: bad })),
      })),
    ),
  ];
}

function brokenLists(schema: Schema, facts: Facts, name: string): Broken<unknown>[] {
  const { items = {}, minItems = 0, maxItems = 20 } = schema;
  const item = bodyValues(items, facts);
  const few = fc.array(item, { maxLength: Math.min(3, maxItems - 1) });
  return [
    ...(minItems > 0 ? [{ rule: `${name} is empty`, values: fc.constant([]) }] : []),
    {
      rule: `${name} is too long`,
      values: item.filter(isSmall).map((value) => Array.from({ length: maxItems + 1 }, () => value)),
    },
    ...brokenBodies(items, facts, `${name}[]`).map(({ rule, values }) => ({
      rule,
      values: fc.tuple(few, values, fc.nat(3)).map(([list, bad, at]) => list.toSpliced(at, 0, bad)),
    })),
  ];
}

/** So that a list of many is too long, and not too large as well. */
function isSmall(value: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(value)) < 1_000;
}
