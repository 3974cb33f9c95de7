// Shapes that several endpoints answer with, in the words of the specification.
import { type Static, type TSchema, Type } from 'typebox';
import { ERROR_CODES } from '../domain/error.ts';
import type { Pagination } from '../domain/page.ts';
import { MAX_TEXT_CHARACTERS } from '../domain/term.ts';

export const ErrorSchema = Type.Object(
  {
    code: Type.Unsafe<string>({ type: 'string', enum: ERROR_CODES, description: 'What went wrong, for programs.' }),
    message: Type.String({ description: 'What went wrong, for people.' }),
    hint: Type.Optional(Type.String({ description: 'How to mend it.' })),
    docs: Type.Optional(Type.String({ description: 'Link to the page about this code.' })),
  },
  { additionalProperties: false },
);

export const PaginationSchema = Type.Object(
  {
    current_page: Type.Integer({ minimum: 1 }),
    page_size: Type.Integer({ minimum: 1 }),
    total_count: Type.Integer({ minimum: 0, description: 'Total results.' }),
    total_pages: Type.Integer({ minimum: 0 }),
    has_next: Type.Boolean(),
    has_previous: Type.Boolean(),
  },
  { additionalProperties: false },
);

/** Told by `additionalProperties`, which generators of clients understand better than the pattern of a TypeBox record. */
export const RanksByPeriodSchema = Type.Unsafe<Record<string, number>>({
  type: 'object',
  additionalProperties: { type: 'integer', minimum: 1 },
  description: 'Rank by period key; periods without a rank are absent.',
});

/** The body of a success: the given fields and `error: null`. */
export function successSchema(fields: Readonly<Record<string, TSchema>>): TSchema {
  return Type.Object({ ...fields, error: Type.Null() }, { additionalProperties: false });
}

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

export function presentPagination(pagination: Pagination): Static<typeof PaginationSchema> {
  return {
    current_page: pagination.currentPage,
    page_size: pagination.pageSize,
    total_count: pagination.totalCount,
    total_pages: pagination.totalPages,
    has_next: pagination.hasNext,
    has_previous: pagination.hasPrevious,
  };
}
