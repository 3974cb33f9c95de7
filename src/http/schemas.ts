// Shapes that several endpoints answer with, in the words of the specification.
import { type Static, type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox';
import { ERROR_CODES } from '../domain/error.ts';
import { pageOfSlice, type Slice } from '../domain/page.ts';
import { MAX_TEXT_CHARACTERS } from '../domain/term.ts';

/** An object with these fields and no others. */
export function strictObject<P extends TProperties>(fields: P, options: TObjectOptions = {}) {
  return Type.Object(fields, { additionalProperties: false, ...options });
}

/** One of these texts. */
export function textOf(values: readonly string[], description?: string) {
  return Type.Unsafe<string>({ type: 'string', enum: values, ...(description === undefined ? {} : { description }) });
}

export function nullable<T extends TSchema>(schema: T, description: string) {
  return Type.Union([schema, Type.Null()], { description });
}

export const ErrorSchema = strictObject({
  code: textOf(ERROR_CODES, 'What went wrong, for programs.'),
  message: Type.String({ description: 'What went wrong, for people.' }),
  hint: Type.Optional(Type.String({ description: 'How to mend it.' })),
  docs: Type.Optional(Type.String({ description: 'Link to the page about this code.' })),
});

export const PaginationSchema = strictObject({
  current_page: Type.Integer({ minimum: 1 }),
  page_size: Type.Integer({ minimum: 1 }),
  total_count: Type.Integer({ minimum: 0, description: 'Total results.' }),
  total_pages: Type.Integer({ minimum: 0 }),
  has_next: Type.Boolean(),
  has_previous: Type.Boolean(),
});

/** Told by `additionalProperties`, which generators of clients understand better than the pattern of a TypeBox record. */
export const RanksByPeriodSchema = Type.Unsafe<Record<string, number>>({
  type: 'object',
  additionalProperties: { type: 'integer', minimum: 1 },
  description: 'Rank by period key; periods without a rank are absent.',
});

/** The body of a success: the given fields and `error: null`. */
export function successSchema(fields: Readonly<Record<string, TSchema>>): TSchema {
  return strictObject({ ...fields, error: Type.Null() });
}

/** How an endpoint declares that it answers in JSON. */
export function jsonSuccess(fields: Readonly<Record<string, TSchema>>) {
  return { contentType: 'application/json', schema: successSchema(fields) };
}

/** A success in JSON. */
export function answerJson(fields: Readonly<Record<string, unknown>>): { readonly body: string } {
  return { body: JSON.stringify({ ...fields, error: null }) };
}

/** What the deletion of an item answers with. */
export const deletionSuccess = jsonSuccess({ data: strictObject({ id: Type.String({ format: 'uuid' }) }) });

/** Text with at least one visible character, as far as a schema can say it. */
export function visibleTextSchema(
  options: { readonly description?: string; readonly examples?: string[] } = {},
): TSchema {
  return Type.String({ ...options, minLength: 1, maxLength: MAX_TEXT_CHARACTERS, pattern: '\\S' });
}

/** A failure's field that always has this value. */
export function literalField(value: boolean | number): { schema: TSchema; value: boolean | number } {
  return { schema: Type.Literal(value), value };
}

export function presentPagination(slice: Slice, totalCount: number): Static<typeof PaginationSchema> {
  const pagination = pageOfSlice(slice, totalCount);
  return {
    current_page: pagination.currentPage,
    page_size: pagination.pageSize,
    total_count: pagination.totalCount,
    total_pages: pagination.totalPages,
    has_next: pagination.hasNext,
    has_previous: pagination.hasPrevious,
  };
}
