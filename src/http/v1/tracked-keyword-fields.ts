// The fields of a tracked keyword that a caller writes.
import { MAX_NOTES_CHARACTERS } from '../../domain/tracked-item.ts';
import {
  DEFAULT_PRIORITY_RULE,
  MAX_ACTIVE_KEYWORDS,
  type NewTrackedKeyword,
  PRIORITY_FIELDS,
  PRIORITY_OPERATORS,
} from '../../domain/tracked-keyword.ts';
import {
  type Body,
  choiceField,
  type FieldValues,
  flagField,
  listField,
  MAX_BODY_BYTES,
  numberField,
  objectField,
  objectSchema,
  parseObject,
  termField,
  textField,
} from '../body.ts';

const MAX_RULE_VALUE = 1_000_000_000;

export const priorityRule = objectField(
  'Raises an alert when a period is published in which it holds, such as `latest_rank` `lt` 1000.',
  {
    field: choiceField('The value of the snapshot that is compared.', PRIORITY_FIELDS),
    operator: choiceField('How it is compared.', PRIORITY_OPERATORS),
    value: numberField('What it is compared with.', { min: -MAX_RULE_VALUE, max: MAX_RULE_VALUE }),
  },
);

const newKeywordFields = {
  search_term: termField('The term to track. It need not be in the data yet.'),
  notes: textField('Anything worth remembering.', { maxCharacters: MAX_NOTES_CHARACTERS, absent: '' }),
  priority_enabled: flagField('Whether the rule raises alerts. Default: true if a rule is given.'),
  priority_rule: priorityRule,
};

const newKeyword = { schema: objectSchema(newKeywordFields), parse: parseNewKeyword };
const manyFields = {
  keywords: listField(newKeyword, { description: 'Keywords to track.', maxItems: MAX_ACTIVE_KEYWORDS }),
};

export interface TrackingBody {
  readonly keywords: readonly NewTrackedKeyword[];
  /** Whether the body is one keyword, not a list. */
  readonly isSingle: boolean;
}

export const trackingBody: Body<TrackingBody> = {
  schema: { anyOf: [newKeyword.schema, objectSchema(manyFields)] } as Body<TrackingBody>['schema'],
  examples: {
    one: {
      search_term: 'running shoes',
      notes: 'spring campaign',
      priority_rule: { field: 'latest_rank', operator: 'lt', value: 1000 },
    },
    many: { keywords: [{ search_term: 'running shoes' }, { search_term: 'trail shoes', notes: 'autumn' }] },
  },
  maxBytes: MAX_BODY_BYTES,
  parse: (value) => {
    const isMany = typeof value === 'object' && value !== null && Object.hasOwn(value, 'keywords');
    return isMany
      ? { keywords: parseObject(manyFields, value).keywords, isSingle: false }
      : { keywords: [parseNewKeyword('', value)], isSingle: true };
  },
};

function parseNewKeyword(path: string, value: unknown): NewTrackedKeyword {
  const given: FieldValues<typeof newKeywordFields> = parseObject(newKeywordFields, value, path);
  return {
    originalTerm: given.search_term,
    notes: given.notes,
    isPriorityEnabled: given.priority_enabled ?? given.priority_rule !== undefined,
    priorityRule: given.priority_rule ?? DEFAULT_PRIORITY_RULE,
  };
}
