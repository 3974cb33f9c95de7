import {
  MAX_SAVED_SEARCHES,
  type NewSavedSearch,
  type SavedSearch,
  type SavedSearchChange,
} from '../domain/saved-search.ts';
import { nameKey } from '../domain/shared-item.ts';
import type { SharedTable } from './shared-items.ts';

export const SAVED_SEARCHES: SharedTable<SavedSearch, NewSavedSearch, SavedSearchChange, undefined> = {
  name: 'saved_searches',
  noun: 'saved search',
  maxItems: MAX_SAVED_SEARCHES,
  columns: 'id, name, address, created_at AS "createdAt", updated_at AS "updatedAt"',
  order: 'position',
  write: ({ name, address }) => ({ name, name_key: name === undefined ? undefined : nameKey(name), address }),
  asAdded: (search, added) => ({ ...search, ...added }),
};
