import type { Role, Scope } from '../api/wire.ts';

export const ROLES: readonly { readonly name: Role; readonly text: string }[] = [
  { name: 'owner', text: 'everything, owners too' },
  { name: 'admin', text: 'members, keys, webhooks, connections' },
  { name: 'member', text: 'search, track, lists' },
  { name: 'viewer', text: 'look at what is there' },
];

export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  search: 'search, products, brands',
  export: 'files of all of it',
  trends: 'lists of trends',
  'tracked:read': 'see what is tracked, lists',
  'tracked:write': 'change them, share links',
  history: 'past searches',
  account: 'usage, webhooks, calendar',
  people: 'members and keys',
  operator: 'what operators see',
  import: 'reports',
};
