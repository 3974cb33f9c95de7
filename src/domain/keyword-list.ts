// Named lists of keywords and products that the members of an organization share. A list may carry a rule, which alerts each member
// who tracks one of its keywords without a rule of their own.
import type { Tenant } from './account.ts';
import type { Slice } from './page.ts';
import type { Idempotency, SharedItem, SharedItems, SharedPage } from './shared-item.ts';
import type { TrackingOutcome } from './tracked-item.ts';
import type { PriorityRule } from './tracked-keyword.ts';

/** Of one organization. */
export const MAX_LISTS = 100;
/** Of one list. */
export const MAX_LIST_ITEMS = 2000;
/** In one request. */
export const MAX_ITEMS_AT_ONCE = 1000;
/** Of one item. */
export const MAX_TAGS = 10;
export const MAX_TAG_CHARACTERS = 40;

export interface KeywordList extends SharedItem {
  readonly name: string;
  readonly notes: string;
  /** Null without one. */
  readonly priorityRule: PriorityRule | null;
  readonly keywordCount: number;
  readonly productCount: number;
}

export type NewKeywordList = Pick<KeywordList, 'name' | 'notes' | 'priorityRule'>;
export type KeywordListChange = { readonly [Field in keyof NewKeywordList]: NewKeywordList[Field] | undefined };

export const LIST_ITEM_KINDS = ['keyword', 'product'] as const;
export type ListItemKind = (typeof LIST_ITEM_KINDS)[number];

export interface ListItem extends SharedItem {
  readonly listId: string;
  readonly kind: ListItemKind;
  /** The term as it was written, or the ASIN. */
  readonly value: string;
  /** Without two that differ in case alone, in the order in which they were given. */
  readonly tags: readonly string[];
  readonly notes: string;
}

export type NewListItem = Pick<ListItem, 'kind' | 'value' | 'tags' | 'notes'>;
export type ListItemChange = { readonly [Field in 'tags' | 'notes']: ListItem[Field] | undefined };

export interface ListItemQuery extends Slice {
  readonly listId: string;
  readonly kind: ListItemKind | undefined;
  /** Case does not count. */
  readonly tag: string | undefined;
}

export type KeywordLists = SharedItems<KeywordList, NewKeywordList, KeywordListChange>;

export interface Tagging {
  readonly listId: string;
  readonly ids: readonly string[];
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Undefined where there is no such list. */
export interface ListItems {
  /** In the order in which they were added. */
  list(tenant: Tenant, query: ListItemQuery): Promise<SharedPage<ListItem> | undefined>;
  find(tenant: Tenant, id: string): Promise<ListItem | undefined>;
  /** All of them or none. What is in the list already is left as it is. One outcome per item, in their order. */
  add(
    tenant: Tenant,
    request: { readonly listId: string; readonly items: readonly NewListItem[]; readonly idempotency: Idempotency },
  ): Promise<readonly TrackingOutcome<ListItem>[] | undefined>;
  change(tenant: Tenant, id: string, change: ListItemChange): Promise<ListItem | undefined>;
  /** How many of them were there; those of other lists are left alone. */
  remove(
    tenant: Tenant,
    request: { readonly listId: string; readonly ids: readonly string[] },
  ): Promise<number | undefined>;
  /** How many have other tags than before; all of them or none. */
  tag(tenant: Tenant, request: Tagging): Promise<number | undefined>;
  /** For each normalised term the lists that have it, in the order in which they were made. */
  listsOf(tenant: Tenant, normalizedTerms: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

export function distinctTags(tags: readonly string[]): readonly string[] {
  return firstOfEach(tags, (tag) => tag.toLowerCase());
}

/** Without those to remove, and then with those to add that it has in no case. */
export function retag(tags: readonly string[], { add, remove }: Pick<Tagging, 'add' | 'remove'>): readonly string[] {
  const removed = new Set(remove.map((tag) => tag.toLowerCase()));
  return distinctTags([...tags.filter((tag) => !removed.has(tag.toLowerCase())), ...add]);
}

/** Of those that are identified alike, the first. */
export function firstOfEach<T>(items: readonly T[], identify: (item: T) => string): readonly T[] {
  const seen = new Map<string, T>();
  for (const item of items) if (!seen.has(identify(item))) seen.set(identify(item), item);
  return [...seen.values()];
}
