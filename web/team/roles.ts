import type { Role } from '../api/wire.ts';

export const ROLES: readonly { readonly name: Role; readonly text: string }[] = [
  { name: 'owner', text: 'everything, owners too' },
  { name: 'admin', text: 'members, keys, webhooks, connections' },
  { name: 'member', text: 'search, track, lists' },
  { name: 'viewer', text: 'look at what is there' },
];
