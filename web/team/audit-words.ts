// The audit log in words. What is written into it is named for programs; an act without words here is shown by that name.
import type { AuditLogAnswer } from '../api/wire.ts';

type Entry = AuditLogAnswer['data'][number];

const ACTS: Readonly<Record<string, string>> = {
  'account.password': 'Password changed',
  'agent.allow': 'Agent let in',
  'agent.end': 'Agent ended',
  'connection.add': 'Connection added',
  'connection.disable': 'Connection disabled',
  'connection.enable': 'Connection enabled',
  'connection.remove': 'Connection removed',
  'connection.retry': 'Downloads tried again',
  'connection.rotate': 'Connection given new secrets',
  'import.publish': 'Import published',
  'import.undo': 'Import undone',
  'key.create': 'Key made',
  'key.disable': 'Key disabled',
  'key.rotate': 'Key rotated',
  'member.invite': 'Member invited',
  'member.join': 'Member joined',
  'member.leave': 'Member left',
  'member.remove': 'Member removed',
  'member.role': 'Role changed',
  'member.uninvite': 'Invitation withdrawn',
  'organization.change': 'Organization changed',
  'organization.create': 'Organization made',
  'organization.invite-owner': 'Owner invited',
  'organization.set-plan': 'Plan changed',
  'share.create': 'Link made that shows something',
  'share.delete': 'Link ended',
  'user.create': 'User made',
  'user.link': 'User linked to a provider',
  'user.operator': 'Operator changed',
  'user.password': 'Password set',
  'user.unlink': 'User unlinked from a provider',
  'webhook.create': 'Webhook added',
  'webhook.delete': 'Webhook deleted',
  'webhook.disable': 'Webhook paused',
  'webhook.enable': 'Webhook resumed',
  'webhook.remove': 'Webhook deleted',
};

const NAMES: Readonly<Record<string, string>> = { isOperator: 'operator', periodEnd: 'until' };
const SIGN_IN = /^sign-in\.(.+)$/;
/** Numbers of keys and webhooks tell people nothing. */
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

export function nameAct({ action }: Entry): string {
  const method = SIGN_IN.exec(action)?.[1];
  return method === undefined ? (ACTS[action] ?? action) : `Signed in by ${method}`;
}

/** "role: member · email: ada@example.com". */
export function describeDetails({ details }: Entry): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== false && !(typeof value === 'string' && UUID.test(value)))
    .map(([name, value]) => {
      const words = NAMES[name] ?? name;
      if (value === true) return words;
      return `${words}: ${Array.isArray(value) ? value.join(', ') : String(value)}`;
    })
    .join(' · ');
}
