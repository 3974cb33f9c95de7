// A search under a name: the address of the page that shows it.
import type { SharedItem, SharedItems } from './shared-item.ts';

/** Of one organization. */
export const MAX_SAVED_SEARCHES = 200;
export const MAX_ADDRESS_CHARACTERS = 4000;

export interface SavedSearch extends SharedItem {
  readonly name: string;
  /** Path and query. */
  readonly address: string;
}

export type NewSavedSearch = Pick<SavedSearch, 'name' | 'address'>;
export type SavedSearchChange = { readonly [Field in keyof NewSavedSearch]: NewSavedSearch[Field] | undefined };
export type SavedSearches = SharedItems<SavedSearch, NewSavedSearch, SavedSearchChange>;
