// What members of an organization may do, by their role. The table is the only place that says so; every endpoint names one action
// (http/endpoint.ts), and a test asks every endpoint as every role.

export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const EVERYBODY: readonly Role[] = ROLES;
const WORKERS: readonly Role[] = ['owner', 'admin', 'member'];
const ADMINS: readonly Role[] = ['owner', 'admin'];

/** Who may do what. `operate` belongs to no role: it takes an operator of the whole installation. */
export const ROLE_ACTIONS = {
  /** Look at what costs no search: trends, products, lists, what is tracked, what is published, usage, who the members are. */
  read: EVERYBODY,
  /** One's own account: sessions, password, keys of one's own, leaving. */
  'own-account': EVERYBODY,
  /** Spend searches of the organization, and clear the history of one's own. */
  search: WORKERS,
  export: WORKERS,
  /** Track keywords and products, and read digests. */
  track: WORKERS,
  /** Change lists, saved searches and notes on the chart. */
  lists: WORKERS,
  /** Share a link. */
  share: WORKERS,
  /** Invite, remove and change members; who is an owner is for owners. */
  members: ADMINS,
  keys: ADMINS,
  webhooks: ADMINS,
  /** Accounts at Amazon: those of the organization; operators look after all. */
  connections: ADMINS,
  'audit-log': ADMINS,
  /** Make and unmake owners, and rename the organization. */
  owners: ['owner'],
  /** Organizations, plans and imports of the whole installation. */
  operate: [],
} as const satisfies Readonly<Record<string, readonly Role[]>>;
export type Action = keyof typeof ROLE_ACTIONS;

const OF_OPERATORS: readonly Action[] = ['operate', 'connections'];

export function isAllowed(action: Action, { role, isOperator }: { role: Role; isOperator: boolean }): boolean {
  if (isOperator && OF_OPERATORS.includes(action)) return true;
  return (ROLE_ACTIONS[action] as readonly Role[]).includes(role);
}

/** Whether someone of this role may make, change or remove a member of that one. */
export function mayManage(role: Role, other: Role): boolean {
  return isAllowed(other === 'owner' ? 'owners' : 'members', { role, isOperator: false });
}
