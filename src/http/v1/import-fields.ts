// Imports on the wire, and the fields that an operator writes.
import { type Static, Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import { parseMarketplace } from '../../domain/marketplace.ts';
import { FREQUENCIES } from '../../domain/period.ts';
import {
  findFileNameFault,
  IMPORT_STATES,
  type ImportReport,
  MAX_FILE_NAME_BYTES,
  MAX_FINGERPRINT_CHARACTERS,
  PERIOD_STATUSES,
  type ReportImport,
} from '../../domain/report-import.ts';
import { RANK_SOURCES } from '../../domain/store.ts';
import {
  choiceField,
  type Field,
  flagField,
  notTheRule,
  nullableField,
  numberField,
  optionalField,
  parseText,
  visibleField,
} from '../body.ts';
import { nullable, strictObject, textOf } from '../schemas.ts';
import { itemTimes, presentTimes } from './list-fields.ts';

export const IMPORT = 'import';
/** Percent. */
export const DEFAULT_MAX_REJECTS = 1;
/** Periods of a file that an answer names; a plain file may have very many. */
const MAX_SHOWN_PERIODS = 200;
const MAX_LISTED_PERIODS = 3;

const count = Type.Integer({ minimum: 0 });

const ReplacedSchema = strictObject({
  revision: Type.Integer({ minimum: 1 }),
  keywords: count,
  data_points: count,
  published_at: Type.String({ format: 'date-time' }),
  source_file: Type.String(),
});

const ReportedPeriodSchema = strictObject({
  marketplace: Type.String(),
  source: textOf(RANK_SOURCES),
  type: textOf(FREQUENCIES),
  period: Type.String(),
  status: textOf(
    PERIOD_STATUSES,
    '`checked`: nothing was published yet. `unchanged`: the same content was published before. `undone`: taken back.',
  ),
  revision: Type.Integer({ minimum: 1, description: 'The one that is published, or would be.' }),
  keywords: count,
  new_terms: nullable(count, 'Keywords that no earlier period had; null when nothing was published.'),
  data_points: count,
  warnings: Type.Array(Type.String()),
  replaces: nullable(ReplacedSchema, 'What is, or was, published in its place; null when there is nothing.'),
});

const ReportSchema = strictObject({
  format: nullable(Type.String(), 'As which the file was recognised.'),
  rows: count,
  merged_twins: count,
  removed_nuls: count,
  department_rows: count,
  rejected_rows: count,
  rejects: Type.Array(
    strictObject({
      reason: Type.String(),
      explanation: Type.String(),
      rows: count,
      first_line: count,
      first_search_term: Type.String(),
      first_detail: Type.String(),
    }),
    { description: 'Rows that cannot be read, by reason, each with the first of them.' },
  ),
  has_rejects_file: Type.Boolean({ description: 'Whether they can be downloaded.' }),
  first_rows: Type.Array(strictObject({ rank: count, search_term: Type.String() }), {
    description: 'The best ranks, after a check.',
  }),
  period_count: count,
  periods: Type.Array(ReportedPeriodSchema, {
    description: `The first ${MAX_SHOWN_PERIODS}; in lists the first three.`,
  }),
  duration_ms: Type.Number({ minimum: 0 }),
});

const ProgressSchema = strictObject({
  stage: Type.String(),
  bytes_done: count,
  bytes_total: Type.Integer({ minimum: 0, description: '0 in stages that are not measured.' }),
  rows: nullable(count, 'Null until they were counted.'),
  bytes_per_second: nullable(count, 'Null in stages that are not measured.'),
});

export const ImportSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  ...itemTimes,
  created_by: nullable(Type.String(), 'The operator who made it.'),
  file_name: Type.String(),
  size_bytes: Type.Integer({ minimum: 1 }),
  uploaded_bytes: Type.Integer({ minimum: 0, description: 'Where the next part begins.' }),
  sha256: nullable(Type.String(), 'As it was given.'),
  fingerprint: nullable(Type.String(), 'As it was given.'),
  marketplace: nullable(Type.String(), 'Null: as the file says, then the default.'),
  type: nullable(textOf(FREQUENCIES), 'Null: as the file says.'),
  period: nullable(Type.String(), 'Null: as the file says.'),
  source: textOf(RANK_SOURCES),
  max_rejects: Type.Number({ minimum: 0, maximum: 100 }),
  replace_smaller: Type.Boolean(),
  publish_when_clean: Type.Boolean(),
  state: textOf(
    IMPORT_STATES,
    '`uploading` → `uploaded` → `checking` → `checked` → `approved` → `importing` → `done`; then `undo_requested` → `undoing` → `undone`.',
  ),
  server: Type.String({ description: 'The machine that the file was sent to.' }),
  progress: nullable(ProgressSchema, 'While it is being worked on.'),
  report: nullable(ReportSchema, 'What was found in the file, or became of it; null before it was checked.'),
  fault: nullable(
    strictObject({
      message: Type.String(),
      hint: nullable(Type.String(), 'What to do.'),
      line: nullable(Type.Integer(), 'Of the file, when the file is at fault.'),
    }),
    'Why it failed, or was not undone.',
  ),
});

export function presentImport(
  found: ReportImport,
  { maxPeriods = MAX_SHOWN_PERIODS }: { readonly maxPeriods?: number } = {},
): Static<typeof ImportSchema> {
  return {
    id: found.id,
    ...presentTimes(found),
    created_by: found.createdBy,
    file_name: found.fileName,
    size_bytes: found.sizeBytes,
    uploaded_bytes: found.uploadedBytes,
    sha256: found.sha256,
    fingerprint: found.fingerprint,
    marketplace: found.marketplace,
    type: found.frequency,
    period: found.period,
    source: found.source,
    max_rejects: found.maxRejects,
    replace_smaller: found.replacesSmaller,
    publish_when_clean: found.publishesWhenClean,
    state: found.state,
    server: found.host,
    progress: found.progress,
    report: found.report && presentReport(found.report, maxPeriods),
    fault: found.fault,
  };
}

export function presentListedImport(found: ReportImport): Static<typeof ImportSchema> {
  return presentImport(found, { maxPeriods: MAX_LISTED_PERIODS });
}

function presentReport({ import_id: _, stored_rejects: __, periods, ...report }: ImportReport, maxPeriods: number) {
  return {
    ...report,
    rejects: [...report.rejects],
    first_rows: [...report.first_rows],
    period_count: periods.length,
    periods: periods.slice(0, maxPeriods).map((period) => ({ ...period, warnings: [...period.warnings] })),
  };
}

const marketplaceField: Field<string> = {
  schema: Type.String({
    description: 'Marketplace of the file. Null: as it says, then the default.',
    pattern: '^[A-Za-z]{2}$',
  }),
  isRequired: true,
  absent: '',
  parse: (name, value) => {
    const code = parseMarketplace(parseText(name, value, 10));
    if (code !== undefined) return code;
    throw notTheRule({ name, value, rule: 'a two-letter code such as US' });
  },
};

const periodField: Field<string> = {
  schema: Type.String({ description: 'Its period. Null: as it says.', pattern: '^[0-9]{2}-[0-9]{4}$' }),
  isRequired: true,
  absent: '',
  parse: (name, value) => {
    const key = parseText(name, value, 10);
    if (/^[0-9]{2}-[0-9]{4}$/.test(key)) return key;
    throw notTheRule({ name, value, rule: 'a period such as 07-2026' });
  },
};

/** Left out, each stays as it is. */
export const importChoiceFields = {
  marketplace: nullableField(marketplaceField, { absent: undefined }),
  type: nullableField(choiceField('Its frequency. Null: as it says.', FREQUENCIES), { absent: undefined }),
  period: nullableField(periodField, { absent: undefined }),
  source: optionalField(choiceField('What its ranks are of. Default: `search`.', RANK_SOURCES)),
  max_rejects: optionalField(
    numberField(`Percent of bad rows above which it is refused. Default: ${DEFAULT_MAX_REJECTS}.`, {
      min: 0,
      max: 100,
    }),
  ),
  replace_smaller: flagField('Whether it may replace a period of more than twice its keywords. Default: false.'),
  publish_when_clean: flagField(
    'Publishes it by itself when the check finds no rejects and no warnings and nothing is replaced. Default: false.',
  ),
};

export const newImportFields = {
  file_name: fileNameField(),
  size_bytes: sizeField(),
  sha256: optionalField(patternField('SHA-256 of the file, checked when all of it has come.', /^[0-9a-f]{64}$/)),
  fingerprint: optionalField(
    visibleField('Any text by which the sender knows the file again, to go on after a pause.', {
      maxCharacters: MAX_FINGERPRINT_CHARACTERS,
    }),
  ),
  ...importChoiceFields,
};

function fileNameField(): Field<string> {
  return {
    schema: Type.String({
      description: 'Its name, without a folder. Marketplace and period are read from it too.',
      minLength: 1,
      maxLength: MAX_FILE_NAME_BYTES,
      pattern: '^[^./\\\\][^/\\\\]*$',
    }),
    isRequired: true,
    absent: '',
    parse: (name, value) => {
      const text = parseText(name, value, MAX_FILE_NAME_BYTES);
      const fault = text === '' ? 'is empty' : findFileNameFault(text);
      if (fault === undefined) return text;
      throw new RequestError('INVALID_PARAMETERS', `Field '${name}' ${fault}.`, 'Use for example ranks.csv.gz.');
    },
  };
}

function sizeField(): Field<number> {
  const max = 999_999_999_999_999;
  return {
    schema: Type.Integer({ description: 'Its size.', minimum: 1, maximum: max }),
    isRequired: true,
    absent: 0,
    parse: (name, value) => {
      if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max) return value;
      throw notTheRule({ name, value, rule: 'an integer of at least 1' });
    },
  };
}

function patternField(description: string, pattern: RegExp): Field<string> {
  return {
    schema: Type.String({ description, pattern: pattern.source }),
    isRequired: true,
    absent: '',
    parse: (name, value) => {
      if (typeof value === 'string' && pattern.test(value)) return value;
      throw notTheRule({ name, value, rule: '64 hexadecimal digits in lower case' });
    },
  };
}
