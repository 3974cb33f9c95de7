// A query parameter is one value that documents itself (its JSON schema goes into the OpenAPI document) and reads itself
// (from the strings of the query). JSON-schema coercion is not used: it takes 0x10, 1e2 and " 10 " for integers.
import { type TSchema, Type } from 'typebox';
import { invalidParameter, RequestError } from '../domain/error.ts';
import { MAX_TEXT_CHARACTERS, normalizeTerm } from '../domain/term.ts';
import { nearestName } from './nearest-name.ts';
import { parseQueryString, printable } from './query-string.ts';
import { visibleTextSchema } from './schemas.ts';

export interface Parameter<T> {
  readonly schema: TSchema;
  readonly required: boolean;
  readonly list: boolean;
  /** The value when the parameter is absent. */
  readonly absent: T;
  /** The value of the strings given, of which there is at least one, and exactly one unless it is a list. */
  readonly parse: (name: string, values: readonly string[]) => T;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;
export type ParameterValues<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never;
};

/** Most values of one list parameter. */
export const MAX_LIST_VALUES = 50;

export function parseParameters<P extends Parameters>(parameters: P, queryString: string): ParameterValues<P> {
  const given = parseQueryString(queryString);
  for (const name of given.keys()) if (!Object.hasOwn(parameters, name)) throw unknownParameter(name, parameters);
  const read: Record<string, unknown> = {};
  for (const name in parameters) {
    const parameter = parameters[name] as Parameter<unknown>;
    const values = given.get(name);
    read[name] = values ? parseGiven(name, { parameter, values }) : parameter.absent;
    if (!values && parameter.required) {
      throw invalidParameter({ name, fault: 'is missing.' }, `Add ${name}=… to the query string.`);
    }
  }
  return read as ParameterValues<P>;
}

function parseGiven(
  name: string,
  { parameter, values }: { readonly parameter: Parameter<unknown>; readonly values: readonly string[] },
): unknown {
  if (parameter.list || values.length === 1) return parameter.parse(name, values);
  throw invalidParameter({ name, fault: 'is given more than once.' }, `Give '${name}' at most once.`);
}

const INTEGER = /^(0|[1-9][0-9]{0,9})$/;
const DECIMAL = /^(0|[1-9][0-9]{0,9})(\.[0-9]+)?$/;
/** At most one sign, and none before a zero. */
const SIGNED_INTEGER = /^(0|-?[1-9][0-9]{0,9})$/;
const SIGNED_DECIMAL = /^(-?[1-9][0-9]{0,9}(\.[0-9]+)?|-?0\.[0-9]*[1-9][0-9]*|0(\.0+)?)$/;

export function integer<T extends number | undefined>(
  description: string,
  { min, max, absent, example }: { min: number; max?: number; absent: T; example?: number },
): Parameter<number | T> {
  const rule = max === undefined ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`;
  return scalar<number | T>({
    schema: Type.Integer({
      description,
      minimum: min,
      maximum: max ?? 9_999_999_999,
      ...(absent === undefined ? {} : { default: absent }),
      ...(example === undefined ? {} : { examples: [example] }),
    }),
    absent,
    rule,
    example: String(absent ?? min),
    read: (text) => {
      const value = Number(text);
      return INTEGER.test(text) && value >= min && value <= (max ?? Number.POSITIVE_INFINITY) ? value : undefined;
    },
  });
}

export function positiveNumber(description: string, { absent }: { absent: number }): Parameter<number> {
  return scalar({
    schema: Type.Number({ description, exclusiveMinimum: 0, maximum: 9_999_999_999, default: absent }),
    absent,
    rule: 'a number above 0',
    example: String(absent),
    read: (text) =>
      DECIMAL.test(text) && Number(text) > 0 && Number(text) <= 9_999_999_999 ? Number(text) : undefined,
  });
}

/** A number that may be below 0. */
export function signedNumber(
  description: string,
  { min, max, isWhole, example }: { min: number; max: number; isWhole: boolean; example: number },
): Parameter<number | undefined> {
  const options = { description, minimum: min, maximum: max, examples: [example] };
  const form = isWhole ? SIGNED_INTEGER : SIGNED_DECIMAL;
  return scalar<number | undefined>({
    schema: isWhole ? Type.Integer(options) : Type.Number(options),
    absent: undefined,
    rule: `${isWhole ? 'an integer' : 'a number'} from ${min} to ${max}`,
    example: String(example),
    read: (text) => (form.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
  });
}

export function choice<const T extends string, A extends T | undefined>(
  description: string,
  { values, absent }: { values: readonly T[]; absent: A },
): Parameter<T | A> {
  return scalar<T | A>({
    schema: Type.Unsafe({
      description,
      type: 'string',
      enum: values,
      ...(absent === undefined ? { examples: values.slice(0, 1) } : { default: absent }),
    }),
    absent,
    rule: `one of ${values.map((value) => `'${value}'`).join(', ')}`,
    example: values[0] ?? '',
    read: (text) => values.find((value) => value === text),
  });
}

export function flag(description: string, { absent }: { absent: boolean }): Parameter<boolean> {
  return scalar({
    schema: Type.Boolean({ description, default: absent }),
    absent,
    rule: "'true' or 'false'",
    example: 'true',
    read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  });
}

/** Text that must match a pattern; `read` makes it canonical. */
export function pattern<T extends string | undefined>(
  description: string,
  options: { rule: string; example: string; pattern: string; absent: T; read: (text: string) => string | undefined },
): Parameter<string | T> {
  const schema = Type.String({ description, pattern: options.pattern, examples: [options.example] });
  return scalar<string | T>({ ...options, schema });
}

/** An optional integer that an empty value or `null` leaves out too. */
export function nullableInteger(description: string, range: { min: number; max: number }): Parameter<number | null> {
  const { parse } = integer(description, { ...range, absent: undefined });
  return {
    schema: Type.Unsafe({ description, type: ['integer', 'null'], minimum: range.min, maximum: range.max }),
    required: false,
    list: false,
    absent: null,
    parse: (name, values) => (values[0] === '' || values[0] === 'null' ? null : (parse(name, values) ?? null)),
  };
}

export function text(description: string): Parameter<string | undefined> {
  const parse = (name: string, values: readonly string[]) => parseText(name, values[0] ?? '', { isRequired: false });
  return { ...requiredText(description, {}), required: false, absent: undefined, parse };
}

export function requiredText(description: string, { example }: { readonly example?: string }): Parameter<string> {
  return {
    schema: visibleTextSchema({ description, ...(example === undefined ? {} : { examples: [example] }) }),
    required: true,
    list: false,
    absent: '',
    parse: (name, values) => parseText(name, values[0] ?? '', { isRequired: true }),
  };
}

export function textList(
  description: string,
  { required = false, examples = [], max }: { required?: boolean; examples?: readonly string[]; max?: number } = {},
): Parameter<readonly string[]> {
  const read = (name: string, value: string): string => parseText(name, value, { isRequired: required });
  return list({
    schema: visibleTextSchema(),
    description,
    required,
    examples,
    read,
    ...(max !== undefined && { max }),
  });
}

/** Some of these values. */
export function choiceList<const T extends string>(
  description: string,
  { values }: { values: readonly T[] },
): Parameter<readonly T[]> {
  const rule = `one of ${values.map((value) => `'${value}'`).join(', ')}`;
  const read = (name: string, value: string): string => {
    if (values.some((each) => each === value)) return value;
    throw notTheRule({ name, value, rule, example: values[0] ?? '' });
  };
  const schema = Type.Unsafe({ type: 'string', enum: values });
  return list({ schema, description, required: false, examples: values.slice(0, 1), read }) as Parameter<readonly T[]>;
}

/** A list whose every value passes `read` after the rules of text. */
export function patternList(
  description: string,
  options: {
    required: boolean;
    rule: string;
    pattern: string;
    example: string;
    read: (text: string) => string | undefined;
    /** How many values there must and may be. */
    values?: { readonly min: number; readonly max: number; readonly examples: readonly string[] };
  },
): Parameter<readonly string[]> {
  const { required, example, values } = options;
  return list({
    ...(values && { min: values.min, max: values.max }),
    schema: Type.String({ pattern: options.pattern, maxLength: MAX_TEXT_CHARACTERS }),
    description,
    required,
    examples: values?.examples ?? [example],
    read: (name, given) => {
      const value = parseText(name, given, { isRequired: required });
      const canonical = options.read(value);
      if (canonical !== undefined) return canonical;
      throw notTheRule({ name, value, rule: options.rule, example });
    },
  });
}

function list(options: {
  schema: TSchema;
  description: string;
  required: boolean;
  examples: readonly string[];
  min?: number;
  max?: number;
  read: (name: string, value: string) => string;
}): Parameter<readonly string[]> {
  const { description, required, examples, min = 1, max = MAX_LIST_VALUES, read } = options;
  return {
    schema: Type.Array(options.schema, {
      description,
      minItems: min,
      maxItems: max,
      ...(examples.length > 0 ? { examples: [examples] } : {}),
    }),
    required,
    list: true,
    absent: [],
    parse: (name, values) => {
      if (values.length > max) {
        const fault = `has ${values.length} values, and at most ${max} are allowed.`;
        throw invalidParameter({ name, fault }, 'Split the request into several.');
      }
      if (values.length < min) {
        const fault = `has ${values.length} value, and at least ${min} are needed.`;
        throw invalidParameter({ name, fault }, `Repeat it: ${examples.map((each) => `${name}=${each}`).join('&')}.`);
      }
      return [...new Set(values.map((value) => read(name, value)))];
    },
  };
}

function scalar<T>(options: {
  schema: TSchema;
  absent: T;
  rule: string;
  example: string;
  read: (text: string) => T | undefined;
}): Parameter<T> {
  return {
    schema: options.schema,
    required: false,
    list: false,
    absent: options.absent,
    parse: (name, values) => {
      const value = values[0] ?? '';
      const parsed = options.read(value);
      if (parsed !== undefined) return parsed;
      throw notTheRule({ name, value, rule: options.rule, example: options.example });
    },
  };
}

function parseText(name: string, value: string, { isRequired }: { readonly isRequired: boolean }): string {
  if (value.includes('\0'))
    throw invalidParameter({ name, fault: 'contains a NUL character.' }, 'Remove %00 from the value.');
  const clean = value.normalize('NFC').trim();
  if (normalizeTerm(clean) === '') {
    const otherwise = isRequired ? '' : ', or leave it out';
    const hint = `Give '${name}' at least one visible character${otherwise}.`;
    throw invalidParameter({ name, fault: 'is blank.' }, hint);
  }
  const length = [...clean].length;
  if (length > MAX_TEXT_CHARACTERS) {
    const fault = `has ${length} characters, and at most ${MAX_TEXT_CHARACTERS} are allowed.`;
    throw invalidParameter({ name, fault }, 'Shorten the value.');
  }
  return clean;
}

function unknownParameter(name: string, parameters: Parameters): RequestError {
  const known = Object.keys(parameters);
  const nearest = nearestName(name, known);
  const all = known.length > 0 ? `Known parameters: ${known.join(', ')}.` : 'This endpoint takes no parameters.';
  const hint = nearest === undefined ? all : `Did you mean '${nearest}'?`;
  return new RequestError('INVALID_PARAMETERS', `Unknown parameter '${printable(name)}'.`, hint);
}

function notTheRule({
  name,
  value,
  rule,
  example,
}: Record<'name' | 'value' | 'rule' | 'example', string>): RequestError {
  const found = value === '' ? 'is empty' : `is '${printable(value)}'`;
  return invalidParameter({ name, fault: `must be ${rule}, but ${found}.`, example });
}
