// Lists and their items on the wire, and the fields that a caller writes.
import { type Static, type TSchema, Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import {
  distinctTags,
  type KeywordList,
  LIST_ITEM_KINDS,
  type ListItem,
  MAX_ITEMS_AT_ONCE,
  MAX_TAG_CHARACTERS,
  MAX_TAGS,
  type NewListItem,
} from '../../domain/keyword-list.ts';
import { MAX_NAME_CHARACTERS } from '../../domain/shared-item.ts';
import { normalizeTerm } from '../../domain/term.ts';
import { MAX_NOTES_CHARACTERS } from '../../domain/tracked-item.ts';
import { PRIORITY_FIELDS, PRIORITY_OPERATORS } from '../../domain/tracked-keyword.ts';
import {
  type Body,
  type Field,
  listField,
  MAX_BODY_BYTES,
  nullableField,
  objectSchema,
  optionalField,
  parseObject,
  termField,
  textField,
  visibleField,
} from '../body.ts';
import type { RequestContext } from '../endpoint.ts';
import type { Parameters } from '../parameters.ts';
import { nullable, strictObject, textOf } from '../schemas.ts';
import { presentSnapshot, RankSnapshotSchema, readSnapshots, trackedSet } from './tracked-keyword.ts';
import { priorityRule } from './tracked-keyword-fields.ts';
import { asinField, ProductSnapshotSchema, presentProductSnapshot, readProductSnapshots } from './tracked-product.ts';

export const itemTimes = {
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
};

export function presentTimes({ createdAt, updatedAt }: { readonly createdAt: Date; readonly updatedAt: Date }) {
  return { created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}

export const ListSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  ...itemTimes,
  name: Type.String(),
  notes: Type.String(),
  priority_rule: nullable(
    strictObject({ field: textOf(PRIORITY_FIELDS), operator: textOf(PRIORITY_OPERATORS), value: Type.Number() }),
    'Alerts each member who tracks a keyword of the list without a rule of their own that is on; null without one.',
  ),
  keyword_count: Type.Integer({ minimum: 0 }),
  product_count: Type.Integer({ minimum: 0 }),
});

export function presentKeywordList(list: KeywordList): Static<typeof ListSchema> {
  const { id, name, notes, priorityRule: rule, keywordCount, productCount } = list;
  return {
    ...{ id, ...presentTimes(list), name, notes, priority_rule: rule && { ...rule } },
    ...{ keyword_count: keywordCount, product_count: productCount },
  };
}

export const nameField = visibleField('Its name. No two in the organization may differ in case alone.', {
  maxCharacters: MAX_NAME_CHARACTERS,
});
const rule = 'A rule for all keywords of the list, or null for none.';
export const newListFields = {
  name: nameField,
  notes: textField('Anything worth remembering.', { maxCharacters: MAX_NOTES_CHARACTERS, absent: '' }),
  priority_rule: nullableField({ ...priorityRule, schema: described(priorityRule.schema, rule) }, { absent: null }),
};
export const listChangeFields = {
  name: optionalField(nameField),
  notes: textField('Replaces the notes.', { maxCharacters: MAX_NOTES_CHARACTERS, absent: undefined }),
  priority_rule: nullableField(
    { ...priorityRule, schema: described(priorityRule.schema, rule) },
    { absent: undefined },
  ),
};

function described(schema: TSchema, description: string): TSchema {
  return { ...schema, description } as TSchema;
}

export const ListItemSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  ...itemTimes,
  list_id: Type.String({ format: 'uuid' }),
  kind: textOf(LIST_ITEM_KINDS),
  value: Type.String({ description: 'The term as it was written, or the ASIN in upper case.' }),
  tags: Type.Array(Type.String()),
  notes: Type.String(),
  keyword: nullable(RankSnapshotSchema, 'Ranks of a keyword, as of tracked ones; null for a product.'),
  product: nullable(ProductSnapshotSchema, 'How a product stands, as of tracked ones; null for a keyword.'),
});

type PresentedItem = Static<typeof ListItemSchema>;

/** With what the published months say of them. */
export async function presentListItems<P extends Parameters, B>(
  context: RequestContext<P, B>,
  items: readonly ListItem[],
): Promise<readonly PresentedItem[]> {
  const { caller, resources } = context;
  using view = resources.ranks.openView(trackedSet(resources), caller.organizationId);
  const valuesOf = (kind: ListItem['kind']) => items.filter((item) => item.kind === kind).map(({ value }) => value);
  const terms = valuesOf('keyword').map(normalizeTerm);
  const ranks = await readSnapshots(context, { view, terms, period: undefined });
  const products = await readProductSnapshots(context, { asins: valuesOf('product'), period: undefined });
  return items.map((item): PresentedItem => {
    const { id, listId, kind, value, tags, notes } = item;
    return {
      ...{ id, ...presentTimes(item), list_id: listId, kind, value, tags: [...tags], notes },
      keyword: kind === 'keyword' ? presentSnapshot(ranks.get(normalizeTerm(value))) : null,
      product: kind === 'product' ? presentProductSnapshot(value, products) : null,
    };
  });
}

const tag = visibleField('A tag.', { maxCharacters: MAX_TAG_CHARACTERS });
/** An empty list is one too. */
function tagsField<T extends readonly string[] | undefined>(
  description: string,
  absent: T,
): Field<readonly string[] | T> {
  const { schema, parse } = listField(tag, { description, maxItems: MAX_TAGS, absent: [] });
  return {
    schema: { ...schema, minItems: 0 } as TSchema,
    isRequired: false,
    absent,
    parse: (name, value) => (Array.isArray(value) && value.length === 0 ? [] : distinctTags(parse(name, value))),
  };
}

export const itemChangeFields = {
  tags: tagsField('Replaces the tags.', undefined),
  notes: textField('Replaces the notes.', { maxCharacters: MAX_NOTES_CHARACTERS, absent: undefined }),
};

export const taggingFields = {
  add: tagsField('Tags that each of them gets.', [] as readonly string[]),
  remove: tagsField('Tags that each of them loses; case does not count.', [] as readonly string[]),
};

const search_term = termField('A keyword. It need not be in the data yet.');
const besideIt = {
  tags: tagsField('Words to find it by; case does not tell two apart.', [] as readonly string[]),
  notes: textField('Anything worth remembering.', { maxCharacters: MAX_NOTES_CHARACTERS, absent: '' }),
};
const newItemFields = { search_term: optionalField(search_term), asin: optionalField(asinField), ...besideIt };
const newItem = {
  schema: {
    anyOf: [objectSchema({ search_term, ...besideIt }), objectSchema({ asin: asinField, ...besideIt })],
  } as unknown as TSchema,
  parse: parseNewItem,
};
const itemsField = listField(newItem, {
  description: 'Keywords and products, each with either `search_term` or `asin`.',
  maxItems: MAX_ITEMS_AT_ONCE,
});

export const newItemsBody: Body<{ readonly items: readonly NewListItem[] }> = {
  schema: objectSchema({ items: itemsField }) as Body<{ readonly items: readonly NewListItem[] }>['schema'],
  examples: {
    items: {
      items: [
        { search_term: 'snow boots', tags: ['winter'] },
        { asin: 'B0DDBYMN4X', notes: 'a competitor' },
      ],
    },
  },
  maxBytes: MAX_BODY_BYTES,
  parse: (value) => parseObject({ items: itemsField }, value),
};

function parseNewItem(path: string, value: unknown): NewListItem {
  const { search_term: term, asin, tags, notes } = parseObject(newItemFields, value, path);
  if (term !== undefined && asin === undefined) return { kind: 'keyword', value: term, tags, notes };
  if (asin !== undefined && term === undefined) return { kind: 'product', value: asin, tags, notes };
  throw new RequestError(
    'INVALID_PARAMETERS',
    `Field '${path}' must have either 'search_term' or 'asin'.`,
    'Use for example {"search_term": "snow boots"} or {"asin": "B0CHX1W1XY"}.',
  );
}
