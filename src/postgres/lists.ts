import { type KeywordList, type KeywordListChange, MAX_LISTS, type NewKeywordList } from '../domain/keyword-list.ts';
import { nameKey } from '../domain/shared-item.ts';
import type { SharedTable } from './shared-items.ts';

const countOf = (kind: string) =>
  `(SELECT count(*) FROM list_items i WHERE i.list_id = lists.id AND i.kind = '${kind}')`;

export const LISTS: SharedTable<KeywordList, NewKeywordList, KeywordListChange, undefined> = {
  name: 'lists',
  noun: 'list',
  maxItems: MAX_LISTS,
  columns: `id, name, notes, priority_rule AS "priorityRule", created_at AS "createdAt", updated_at AS "updatedAt",
    ${countOf('keyword')} AS "keywordCount", ${countOf('product')} AS "productCount"`,
  order: 'position',
  write: ({ name, notes, priorityRule }) => ({
    name,
    name_key: name === undefined ? undefined : nameKey(name),
    notes,
    priority_rule: priorityRule && JSON.stringify(priorityRule),
  }),
  asAdded: (list, added) => ({ ...list, ...added, keywordCount: 0, productCount: 0 }),
};
