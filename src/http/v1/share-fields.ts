// A share on the wire, and what a caller says to make one.
import { type Static, type TSchema, Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import { FREQUENCIES, type Frequency } from '../../domain/period.ts';
import { listVisiblePeriods } from '../../domain/published-ranks.ts';
import {
  DEFAULT_SHARE_DAYS,
  MAX_SHARE_DAYS,
  SHARE_KINDS,
  SHARE_SEARCHES_PER_HOUR,
  type Share,
} from '../../domain/share.ts';
import { MAX_NAME_CHARACTERS } from '../../domain/shared-item.ts';
import {
  type Body,
  choiceField,
  type Field,
  listField,
  notTheRule,
  objectField,
  objectSchema,
  optionalField,
  parseObject,
  parseText,
  termField,
  visibleField,
} from '../body.ts';
import type { RequestContext } from '../endpoint.ts';
import type { Parameters } from '../parameters.ts';
import { nullable, strictObject, textOf } from '../schemas.ts';

/** Of one chart. */
export const MAX_SHARED_TERMS = 5;
const MAX_QUERY_CHARACTERS = 4000;
const MAX_BYTES = 64 * 1024;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MARKETPLACE = /^[A-Za-z]{2}$/;

export const ShareSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  created_at: Type.String({ format: 'date-time' }),
  kind: textOf(SHARE_KINDS),
  title: Type.String(),
  organization: Type.String({ description: 'Who shares it.' }),
  ends_at: Type.String({ format: 'date-time' }),
  data_until: nullable(
    Type.String({ format: 'date' }),
    'The last day of the newest period that it shows; null without data.',
  ),
  calls: Type.Array(Type.String(), {
    description: 'What its token may ask for: GET, each with exactly these parameters.',
  }),
  searches_per_hour: Type.Integer({ description: 'How many searches it may take of the organization’s in an hour.' }),
});

export function presentShare<P extends Parameters, B>(
  { id, createdAt, kind, title, organization, endsAt, targets }: Share,
  context: RequestContext<P, B>,
): Static<typeof ShareSchema> {
  return {
    ...{ id, created_at: createdAt.toISOString(), kind, title, organization, ends_at: endsAt.toISOString() },
    data_until: lastDayOf(targets[0] ?? '', context),
    calls: [...targets],
    searches_per_hour: SHARE_SEARCHES_PER_HOUR,
  };
}

function lastDayOf<P extends Parameters, B>(
  target: string,
  { plan, resources: { ranks } }: RequestContext<P, B>,
): string | null {
  const params = new URLSearchParams(target.split('?')[1]);
  const marketplace = params.get('marketplace') ?? ranks.defaultMarketplace;
  const frequency: Frequency = params.get('type') === 'weekly' ? 'weekly' : 'monthly';
  const visible = listVisiblePeriods(ranks.catalog, { plan, marketplace, sources: ['search'] });
  return visible.find(({ period }) => period.frequency === frequency)?.endDate ?? null;
}

const marketplace: Field<string | undefined> = {
  schema: Type.String({ description: 'Two-letter code. Default: the configured one.', pattern: MARKETPLACE.source }),
  isRequired: false,
  absent: undefined,
  parse: (name, value) => {
    if (typeof value === 'string' && MARKETPLACE.test(value)) return value.toUpperCase();
    throw notTheRule({ name, value, rule: 'a two-letter marketplace code' });
  },
};

const chart = objectField('The rank history of keywords, with its charts.', {
  terms: listField(termField('A keyword.'), { description: 'Keywords in one chart.', maxItems: MAX_SHARED_TERMS }),
  type: {
    ...choiceField('Data frequency. Default: monthly.', FREQUENCIES),
    isRequired: false,
    absent: 'monthly' as const,
  },
  marketplace,
});

const search: Field<string> = {
  schema: Type.String({
    description: 'The parameters of a keyword search, as the query string of `/v1/search/keywords`.',
    minLength: 1,
    maxLength: MAX_QUERY_CHARACTERS,
    pattern: 'query=',
  }),
  isRequired: true,
  absent: '',
  parse: (name, value) => parseText(name, value, MAX_QUERY_CHARACTERS),
};

const listId: Field<string> = {
  schema: Type.String({ description: 'A list of the organization, with its notes and tags.', format: 'uuid' }),
  isRequired: true,
  absent: '',
  parse: (name, value) => {
    if (typeof value === 'string' && UUID.test(value)) return value;
    throw notTheRule({ name, value, rule: 'the id of a list' });
  },
};

const days: Field<number> = {
  schema: Type.Integer({
    description: 'How long the link lasts.',
    minimum: 1,
    maximum: MAX_SHARE_DAYS,
    default: DEFAULT_SHARE_DAYS,
  }),
  isRequired: false,
  absent: DEFAULT_SHARE_DAYS,
  parse: (name, value) => {
    if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_SHARE_DAYS) return Number(value);
    throw notTheRule({ name, value, rule: `a whole number of days from 1 to ${MAX_SHARE_DAYS}` });
  },
};

const title = optionalField(
  visibleField('What the page calls it. Default: what it shows.', { maxCharacters: MAX_NAME_CHARACTERS }),
);
const besideIt = { title, days };
const fields = { chart, search: optionalField(search), list_id: optionalField(listId), ...besideIt };

export type NewShareBody = ReturnType<typeof parseNewShare>;

export const newShareBody: Body<NewShareBody> = {
  schema: {
    anyOf: [
      objectSchema({ chart: { ...chart, isRequired: true }, ...besideIt }),
      objectSchema({ search, ...besideIt }),
      objectSchema({ list_id: listId, ...besideIt }),
    ],
  } as unknown as TSchema,
  examples: {
    chart: { chart: { terms: ['snow boots', 'winter boots'] }, title: 'Boots', days: 7 },
    search: { search: 'query=snow+boots&max_rank=5000' },
  },
  maxBytes: MAX_BYTES,
  parse: parseNewShare,
};

function parseNewShare(value: unknown) {
  const share = parseObject(fields, value);
  const given = [share.chart, share.search, share.list_id].filter((each) => each !== undefined);
  if (given.length === 1) return share;
  throw new RequestError(
    'INVALID_PARAMETERS',
    "The body must have exactly one of 'chart', 'search' and 'list_id'.",
    'Use for example {"search": "query=snow+boots"}.',
  );
}
