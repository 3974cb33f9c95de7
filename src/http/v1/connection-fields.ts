// A connection on the wire, and the fields that a caller writes. Secrets are written and never read.
import { type Static, Type } from 'typebox';
import {
  type ConnectionRecord,
  DEFAULT_LOOK_BACK_MONTHS,
  DEFAULT_LOOK_BACK_WEEKS,
  type DownloadStatus,
  MAX_CLIENT_ID_CHARACTERS,
  MAX_CONNECTION_NAME_CHARACTERS,
  MAX_LOOK_BACK,
  MAX_SECRET_CHARACTERS,
  parseConnectionName,
  parseCredential,
} from '../../domain/connection.ts';
import { DOWNLOAD_STATES } from '../../domain/download.ts';
import { RequestError } from '../../domain/error.ts';
import { AMAZON_REGIONS, parseMarketplace } from '../../domain/marketplace.ts';
import { FREQUENCIES, type IsoDate, parseIsoDate, periodKey } from '../../domain/period.ts';
import { choiceField, type Field, listField, notTheRule, optionalField, parseText } from '../body.ts';
import { nullable, strictObject, textOf } from '../schemas.ts';
import { IdSchema, nullableTime, TimeSchema } from './people-fields.ts';

const MAX_MARKETPLACES = 30;
const CODE = '^[A-Za-z]{2}$';

export const ConnectionSchema = strictObject({
  id: IdSchema,
  name: Type.String(),
  is_own: Type.Boolean({
    description: 'Of the organization of the caller; operators see those of all, and their own.',
  }),
  region: textOf(AMAZON_REGIONS),
  marketplaces: Type.Array(Type.String()),
  client_id: Type.String(),
  look_back_weeks: Type.Integer({ minimum: 0 }),
  look_back_months: Type.Integer({ minimum: 0 }),
  since: nullable(Type.String({ format: 'date' }), 'Older periods are fetched too, back to this day.'),
  created_at: TimeSchema,
  disabled_at: nullableTime('Null while reports are fetched.'),
  fault: nullable(Type.String(), 'Why nothing is asked for at the moment, for people; null when all is well.'),
  held_until: nullableTime('When Amazon is asked again.'),
  downloads: strictObject(
    {
      imported: Type.Integer({ minimum: 0 }),
      coming: Type.Integer({ minimum: 0 }),
      failed: Type.Integer({ minimum: 0 }),
    },
    { description: 'How many periods are there, on their way, and given up.' },
  ),
});

export function presentConnection(
  { connection, downloads }: ConnectionRecord,
  caller: { readonly organizationId: string },
): Static<typeof ConnectionSchema> {
  const { imported, failed } = downloads;
  const total = Object.values(downloads).reduce((sum, count) => sum + count, 0);
  return {
    id: connection.id,
    name: connection.name,
    is_own: connection.organizationId === caller.organizationId,
    region: connection.region,
    marketplaces: [...connection.marketplaces],
    client_id: connection.clientId,
    look_back_weeks: connection.lookBackWeeks,
    look_back_months: connection.lookBackMonths,
    since: connection.since,
    created_at: connection.createdAt.toISOString(),
    disabled_at: connection.disabledAt?.toISOString() ?? null,
    fault: connection.fault,
    held_until: connection.heldUntil?.toISOString() ?? null,
    downloads: { imported, failed, coming: total - imported - failed },
  };
}

export const DownloadSchema = strictObject({
  marketplace: Type.String(),
  type: textOf(FREQUENCIES),
  period: Type.String(),
  state: textOf(DOWNLOAD_STATES),
  message: Type.String({ description: 'What it does or waits for, for people.' }),
  is_under_way: Type.Boolean({ description: 'A server works on it right now.' }),
  next_at: nullableTime('When something happens next by itself.'),
  imported_at: nullableTime('When it came.'),
  revision: nullable(Type.Integer({ minimum: 1 }), 'That was published from it.'),
});

export function presentDownload(download: DownloadStatus): Static<typeof DownloadSchema> {
  return {
    marketplace: download.marketplace,
    type: download.period.frequency,
    period: periodKey(download.period),
    state: download.state,
    message: download.message,
    is_under_way: download.isUnderWay,
    next_at: download.dueAt?.toISOString() ?? null,
    imported_at: download.importedAt?.toISOString() ?? null,
    revision: download.revision,
  };
}

const nameField: Field<string> = {
  schema: Type.String({ description: 'What to call it.', minLength: 1, maxLength: MAX_CONNECTION_NAME_CHARACTERS }),
  isRequired: true,
  absent: '',
  parse: (name, value) => {
    const text = parseConnectionName(parseText(name, value, MAX_CONNECTION_NAME_CHARACTERS));
    if (text !== undefined) return text;
    throw invalid(name, 'is blank or has characters that cannot be seen', 'Use a plain name.');
  },
};

export const marketplaceField: Field<string> = {
  schema: Type.String({ description: 'A two-letter code such as US.', pattern: CODE }),
  isRequired: true,
  absent: '',
  parse: (name, value) => {
    const code = typeof value === 'string' ? parseMarketplace(value) : undefined;
    if (code !== undefined) return code;
    throw notTheRule({ name, value, rule: 'a two-letter code such as US' });
  },
};

/** What is wrong with it is never said by quoting it. */
function credentialField(description: string, maxCharacters: number, isSecret: boolean): Field<string> {
  return {
    schema: Type.String({ description, minLength: 1, maxLength: maxCharacters, ...(isSecret && { writeOnly: true }) }),
    isRequired: true,
    absent: '',
    parse: (name, value) => {
      const text = typeof value === 'string' ? parseCredential(value, maxCharacters) : undefined;
      if (text !== undefined) return text;
      throw invalid(name, 'is empty, too long, or has spaces in it', 'Copy it from Seller Central as it is.');
    },
  };
}

function lookBackField(description: string, absent: number): Field<number> {
  return {
    schema: Type.Integer({ description, minimum: 0, maximum: MAX_LOOK_BACK, default: absent }),
    isRequired: false,
    absent,
    parse: (name, value) => {
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_LOOK_BACK) return value;
      throw notTheRule({ name, value, rule: `a whole number from 0 to ${MAX_LOOK_BACK}` });
    },
  };
}

const sinceField: Field<IsoDate | undefined> = {
  schema: Type.String({ description: 'Fetch older periods too, as far as Amazon has them.', format: 'date' }),
  isRequired: false,
  absent: undefined,
  parse: (name, value) => {
    const date = typeof value === 'string' ? parseIsoDate(value) : undefined;
    if (date) return date;
    throw notTheRule({ name, value, rule: 'a date such as 2026-01-01' });
  },
};

export const clientIdField = credentialField(
  'Of the application that the seller registered.',
  MAX_CLIENT_ID_CHARACTERS,
  false,
);
export const secretFields = {
  client_secret: credentialField('Of the application.', MAX_SECRET_CHARACTERS, true),
  refresh_token: credentialField('That the seller got by allowing the application.', MAX_SECRET_CHARACTERS, true),
};

export const newConnectionFields = {
  name: nameField,
  region: choiceField('North America, Europe or the Far East.', AMAZON_REGIONS),
  marketplaces: listField(marketplaceField, { description: 'Whose reports.', maxItems: MAX_MARKETPLACES }),
  client_id: clientIdField,
  ...secretFields,
  look_back_weeks: lookBackField('How many weeks to look back.', DEFAULT_LOOK_BACK_WEEKS),
  look_back_months: lookBackField('How many months to look back.', DEFAULT_LOOK_BACK_MONTHS),
  since: optionalField(sinceField),
};

function invalid(name: string, fault: string, hint: string): RequestError {
  return new RequestError('INVALID_PARAMETERS', `Field '${name}' ${fault}.`, hint);
}
