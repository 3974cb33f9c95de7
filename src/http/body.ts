// A JSON body documents itself and reads itself, as parameters do, and is as strict: whatever is unknown, missing or of
// another kind is refused by name. Nothing is coerced.
import { type TSchema, Type } from 'typebox';
import { RequestError } from '../domain/error.ts';
import { MAX_TEXT_CHARACTERS, normalizeTerm } from '../domain/term.ts';
import { nearestName } from './nearest-name.ts';
import { printable } from './query-string.ts';
import { visibleTextSchema } from './schemas.ts';

export interface Body<T> {
  readonly schema: TSchema;
  /** By name, for the reference. */
  readonly examples: Readonly<Record<string, unknown>>;
  /** Larger ones are refused. */
  readonly maxBytes: number;
  readonly parse: (value: unknown) => T;
}

/** The largest body of all. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Enough for one item with every text at its longest, each character escaped. */
const MAX_ITEM_BYTES = 64 * 1024;

export interface Field<T> {
  readonly schema: TSchema;
  readonly isRequired: boolean;
  /** The value when the field is absent. */
  readonly absent: T;
  /** The value of what was given; `name` is how the field is called in a message, such as `keywords[3].notes`. */
  readonly parse: (name: string, value: unknown) => T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type FieldValues<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the bytes of a body. Their Content-Type is not looked at: they are JSON, or they are refused. */
export function parseBody<T>(body: Body<T>, bytes: Uint8Array): T {
  if (bytes.length === 0) throw invalid('The body is missing.', 'Send a JSON object.');
  return body.parse(parseJson(decode(bytes)));
}

export function objectBody<F extends Fields>(
  fields: F,
  examples: Readonly<Record<string, unknown>>,
): Body<FieldValues<F>> {
  return {
    schema: objectSchema(fields),
    examples,
    maxBytes: MAX_ITEM_BYTES,
    parse: (value) => parseObject(fields, value),
  };
}

/** An object with at least one of these fields, all of which can be left out. */
export function changesBody<F extends Fields>(
  fields: F,
  examples: Readonly<Record<string, unknown>>,
): Body<FieldValues<F>> {
  return {
    schema: { ...objectSchema(fields), minProperties: 1 } as TSchema,
    examples,
    maxBytes: MAX_ITEM_BYTES,
    parse: (value) => {
      const changes = parseObject(fields, value);
      if (Object.keys(value as object).length > 0) return changes;
      throw invalid('The body has no field to change.', `Give at least one of ${namesOf(fields)}.`);
    },
  };
}

export function objectSchema(fields: Fields): TSchema {
  const properties = Object.entries(fields).map(([name, { schema, isRequired }]) => {
    return [name, isRequired ? schema : Type.Optional(schema)];
  });
  return Type.Object(Object.fromEntries(properties), { additionalProperties: false });
}

/** Reads an object with these fields and no others. `path` is where it stands in the body. */
export function parseObject<F extends Fields>(fields: F, value: unknown, path = ''): FieldValues<F> {
  if (!isObject(value)) {
    const what = path === '' ? 'The body' : `Field '${path}'`;
    throw invalid(`${what} must be a JSON object, but is ${kindOf(value)}.`, `Known fields: ${namesOf(fields)}.`);
  }
  const nameOf = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name)) continue;
    const nearest = nearestName(name, Object.keys(fields));
    throw invalid(
      `Unknown field '${printable(nameOf(name))}'.`,
      nearest === undefined ? `Known fields: ${namesOf(fields)}.` : `Did you mean '${nameOf(nearest)}'?`,
    );
  }
  const entries = Object.entries(fields).map(([name, field]) => {
    if (Object.hasOwn(value, name)) return [name, field.parse(nameOf(name), value[name])];
    if (field.isRequired) throw invalid(`Field '${nameOf(name)}' is missing.`, `Add "${name}" to the body.`);
    return [name, field.absent];
  });
  return Object.fromEntries(entries) as FieldValues<F>;
}

/** A search term: at least one visible character. */
export function termField(description: string): Field<string> {
  return {
    schema: visibleTextSchema({ description }),
    isRequired: true,
    absent: '',
    parse: (name, value) => {
      const text = parseText(name, value, MAX_TEXT_CHARACTERS);
      if (normalizeTerm(text) === '')
        throw invalid(`Field '${name}' is blank.`, 'Give at least one visible character.');
      return text;
    },
  };
}

/** Text with at least one visible character, such as a name. */
export function visibleField(
  description: string,
  { maxCharacters }: { readonly maxCharacters: number },
): Field<string> {
  return {
    schema: Type.String({ description, minLength: 1, maxLength: maxCharacters, pattern: '\\S' }),
    isRequired: true,
    absent: '',
    parse: (name, value) => {
      const text = parseText(name, value, maxCharacters);
      if (normalizeTerm(text) !== '') return text;
      throw invalid(`Field '${name}' is blank.`, 'Give at least one visible character.');
    },
  };
}

/** A field that can be left out. */
export function optionalField<T>(field: Field<T>): Field<T | undefined> {
  return { ...field, isRequired: false, absent: undefined };
}

/** A field that can be null, and is unless it is given or left as it is. */
export function nullableField<T, A extends null | undefined>(
  field: Field<T>,
  { absent }: { readonly absent: A },
): Field<Exclude<T, undefined> | null | A> {
  const { description, ...schema } = field.schema as { readonly description?: string };
  return {
    schema: { anyOf: [schema, { type: 'null' }], description } as unknown as TSchema,
    isRequired: false,
    absent,
    parse: (name, value) => (value === null ? null : (field.parse(name, value) as Exclude<T, undefined>)),
  };
}

/** Text that may be empty. */
export function textField<T extends string | undefined>(
  description: string,
  { maxCharacters, absent }: { readonly maxCharacters: number; readonly absent: T },
): Field<string | T> {
  return {
    schema: Type.String({
      description,
      maxLength: maxCharacters,
      ...(absent === undefined ? {} : { default: absent }),
    }),
    isRequired: false,
    absent,
    parse: (name, value) => parseText(name, value, maxCharacters),
  };
}

export function flagField(description: string): Field<boolean | undefined> {
  return {
    schema: Type.Boolean({ description }),
    isRequired: false,
    absent: undefined,
    parse: (name, value) => {
      if (typeof value === 'boolean') return value;
      throw notTheRule({ name, value, rule: 'true or false' });
    },
  };
}

export function choiceField<const T extends string>(description: string, values: readonly T[]): Field<T> {
  return {
    schema: Type.Unsafe({ description, type: 'string', enum: values }),
    isRequired: true,
    absent: values[0] as T,
    parse: (name, value) => {
      const chosen = values.find((each) => each === value);
      if (chosen !== undefined) return chosen;
      throw notTheRule({ name, value, rule: `one of ${values.map((each) => `'${each}'`).join(', ')}` });
    },
  };
}

export function numberField(
  description: string,
  { min, max }: { readonly min: number; readonly max: number },
): Field<number> {
  return {
    schema: Type.Number({ description, minimum: min, maximum: max }),
    isRequired: true,
    absent: 0,
    parse: (name, value) => {
      if (typeof value === 'number' && value >= min && value <= max) return value;
      throw notTheRule({ name, value, rule: `a number from ${min} to ${max}` });
    },
  };
}

export function objectField<F extends Fields>(description: string, fields: F): Field<FieldValues<F> | undefined> {
  return {
    schema: { ...objectSchema(fields), description } as TSchema,
    isRequired: false,
    absent: undefined,
    parse: (name, value) => parseObject(fields, value, name),
  };
}

export function listField<T>(
  element: Pick<Field<T>, 'schema' | 'parse'>,
  options: { readonly description: string; readonly maxItems: number; readonly absent?: readonly T[] },
): Field<readonly T[]> {
  const { description, maxItems, absent } = options;
  return {
    schema: Type.Array(element.schema, {
      description,
      minItems: 1,
      maxItems,
      ...(absent === undefined ? {} : { default: absent }),
    }),
    isRequired: absent === undefined,
    absent: absent ?? [],
    parse: (name, value) => {
      if (!Array.isArray(value) || value.length === 0 || value.length > maxItems) {
        throw notTheRule({ name, value, rule: `a list of 1 to ${maxItems}` });
      }
      return value.map((each, i) => element.parse(`${name}[${i}]`, each));
    },
  };
}

export function parseText(name: string, value: unknown, maxCharacters: number): string {
  if (typeof value !== 'string') throw notTheRule({ name, value, rule: 'text' });
  if (value.includes('\0')) throw invalid(`Field '${name}' contains a NUL character.`, 'Remove \\u0000.');
  if (/\p{Cs}/u.test(value))
    throw invalid(`Field '${name}' is not valid Unicode.`, 'Remove the half of a surrogate pair.');
  const clean = value.normalize('NFC').trim();
  const length = [...clean].length;
  if (length <= maxCharacters) return clean;
  throw invalid(
    `Field '${name}' has ${length} characters, and at most ${maxCharacters} are allowed.`,
    'Shorten the value.',
  );
}

export function notTheRule(fault: {
  readonly name: string;
  readonly value: unknown;
  readonly rule: string;
}): RequestError {
  return invalid(
    `Field '${fault.name}' must be ${fault.rule}, but is ${kindOf(fault.value)}.`,
    'The fields and their rules are listed in /openapi.json.',
  );
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new RequestError('BAD_REQUEST', 'The body is not valid UTF-8.', 'Send JSON in UTF-8, not compressed.');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(
      'BAD_REQUEST',
      'The body is not well-formed JSON.',
      'Names and texts stand in double quotes, and nothing follows the last element of a list or an object.',
    );
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'string') return value === '' ? 'empty' : `'${printable(value)}'`;
  return typeof value === 'object' ? 'an object' : String(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function namesOf(fields: Fields): string {
  return Object.keys(fields).join(', ');
}

function invalid(message: string, hint: string): RequestError {
  return new RequestError('INVALID_PARAMETERS', message, hint);
}
