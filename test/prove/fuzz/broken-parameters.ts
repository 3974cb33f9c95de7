// Query strings that break exactly one rule. Values are percent-encoded already.
import fc from 'fast-check';
import type { ApiParameter, Schema } from './api-document.ts';
import type { Broken } from './broken-bodies.ts';
import type { Facts } from './draft.ts';

const BAD_ENCODINGS = ['%', '%zz', 'a%a', '%ff', '%c3%28', '%ed%a0%80', '%00', 'a%00b', '%C0%80'];
const BAD_INTEGERS = [
  '',
  'abc',
  '1.0',
  '1e2',
  '%2B5',
  '%205',
  '5%20',
  '010',
  '-1',
  '0x10',
  '1,2',
  '99999999999',
  'NaN',
  '%D9%A3',
];
const BAD_DECIMALS = ['', '0', '0.0', '-1', '1e3', '.5', '5.', '01', 'NaN', 'Infinity', '1,5', '%2B1'];
const BAD_FLAGS = ['', '1', '0', 'TRUE', 'True', 'yes', 'on', 'null', 'true%20'];
/** Well-formed, and still not among what is published. */
const ABSENT: Readonly<Record<string, readonly string[]>> = {
  marketplace: ['ZZ', 'de', 'Qq'],
  order_by: ['01-1999', '1-9999', '0-2026', '000-2026', '54-2026', '999-2026'],
  period: ['01-1999', '12-9999'],
  compare_to: ['01-1999', '1-9999', '0-2026', '54-2026'],
  first_seen_since: ['01-1999', '1-9999', '0-2026', '54-2026'],
};
const UNKNOWN_NAMES = [
  'zzz',
  'Query',
  'querys',
  'limits',
  'page_size',
  '__proto__',
  'constructor',
  'api_key',
  'query.a',
  '%20query',
];

/** Broken values of one parameter: the whole list of what is given for it. */
export function brokenParameter(
  { name, schema, required }: ApiParameter,
  { valid, facts }: { readonly valid: fc.Arbitrary<readonly string[]>; readonly facts: Facts },
): readonly Broken<readonly string[]>[] {
  const isList = schema.type === 'array';
  const item = isList ? (schema.items ?? {}) : schema;
  const bad = brokenScalars({ name, schema: item, facts }).map(({ rule, values }) => ({
    rule: `${name} ${rule}`,
    values: isList
      ? fc.tuple(valid, values, fc.nat(3)).map(([list, value, at]) => list.slice(0, 40).toSpliced(at, 0, value))
      : values.map((value) => [value]),
  }));
  const { maxItems = 50 } = schema;
  // Short ones: the target must not become too long as well.
  const tooMany = valid
    .filter(([first = '']) => first.length < 100)
    .map(([first = '']) => Array.from({ length: maxItems + 1 }, () => first));
  return [
    ...bad,
    { rule: `${name} is damaged`, values: fc.constantFrom(...BAD_ENCODINGS).map((value) => [value]) },
    ...(required ? [{ rule: `${name} is missing`, values: fc.constant([]) }] : []),
    isList
      ? { rule: `${name} has too many values`, values: tooMany }
      : { rule: `${name} is given twice`, values: fc.tuple(valid, valid).map(([a, b]) => [...a, ...b]) },
  ];
}

export function unknownNames(known: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...UNKNOWN_NAMES.filter((name) => !known.includes(name)));
}

function brokenScalars({ name, schema, facts }: { name: string; schema: Schema; facts: Facts }): Broken<string>[] {
  const wrong = (rule: string, ...values: readonly string[]) => ({ rule, values: fc.constantFrom(...values) });
  if (schema.enum) {
    const choices = schema.enum.map(String);
    const twisted = choices.flatMap((choice) => [
      choice.toUpperCase(),
      choice.toLowerCase(),
      `${choice}%20`,
      `${choice}s`,
    ]);
    const outside = ['', 'zzz', 'null', '1', ...twisted].filter((value) => !choices.includes(value));
    return [wrong('is not one of the choices', ...outside)];
  }
  if (schema.type === 'boolean') return [wrong('is not true or false', ...BAD_FLAGS)];
  if (schema.type === 'number') {
    const { minimum = 1, maximum = 0 } = schema;
    const bad = BAD_DECIMALS.filter((value) => Number.isNaN(Number.parseFloat(value)) || !(minimum <= Number(value)));
    const outside = [maximum + 1, minimum <= 0 ? minimum - 1 : 0].map(String);
    return [wrong('is no number', ...bad, '-0', '--1', '-'), wrong('is out of range', ...outside)];
  }
  if (schema.type === 'integer' || Array.isArray(schema.type)) {
    const { minimum = 0, maximum = 0 } = schema;
    const isNullable = Array.isArray(schema.type);
    const below = minimum < 0 ? '-1' : undefined;
    return [
      wrong('is no integer', ...BAD_INTEGERS.filter((value) => (!isNullable || value !== '') && value !== below)),
      wrong('is out of range', String(minimum - 1), String(maximum + 1)),
    ];
  }
  if (schema.pattern !== undefined && schema.minLength === undefined) {
    const pattern = new RegExp(schema.pattern, 'u');
    const outside = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', ...facts.texts));
    const unmatched = outside.filter((text) => !pattern.test(text)).map(encodeURIComponent);
    const absent = ABSENT[name];
    return [
      { rule: 'is not of its form', values: unmatched },
      ...(absent ? [wrong('is not published', ...absent)] : []),
    ];
  }
  const { maxLength = 256 } = schema;
  return [
    wrong('is blank', '', '%20', '+', '%09%0A', '%E2%80%8B', '%EF%BF%BC', '%C2%A0', '%E3%80%80'),
    wrong('is too long', 'a'.repeat(maxLength + 1), '%C3%A9'.repeat(maxLength + 1), `a${'+'.repeat(maxLength)}b`),
  ];
}
