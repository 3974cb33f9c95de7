// Organizations, members, what they track, and the webhooks that they registered.
import { createHash } from 'node:crypto';
import { WEBHOOK_EVENTS } from '../../../src/domain/webhook.ts';
import type { ReceiverKind } from './receivers.ts';
import type { World } from './world.ts';

/** Looking it up fails, whoever asks: a member who tracks it can never be told. */
export const POISON = 'poison';
export const TERMS = ['apple', 'berry', 'cherry', 'date', 'elder'] as const;

export interface Member {
  readonly organizationId: string;
  readonly userId: string;
  readonly keywords: readonly { readonly id: string; readonly term: string; readonly below: number }[];
  readonly webhookIds: readonly string[];
  readonly isPoisoned: boolean;
}

const RECEIVER_KINDS: readonly ReceiverKind[] = ['healthy', 'healthy', 'healthy', 'dead', 'gone'];
/** In one of so many: each of its messages ends nine servers. */
const DEADLY_ONE_IN = 20;

export async function populate(
  world: World,
): Promise<{ readonly members: readonly Member[]; readonly receivers: ReadonlyMap<string, ReceiverKind> }> {
  const { random, database } = world;
  const transaction = database.begin();
  const members: Member[] = [];
  const receivers = new Map<string, ReceiverKind>();
  await transaction.insert('rank_statistics', '', {
    id: database.nextUuid(),
    version: 0,
    computed_at: null,
    total_data_points: 0,
    storage: null,
  });
  for (let organizations = 1 + random.below(2); organizations > 0; organizations -= 1) {
    const organizationId = database.nextUuid();
    const plan = random.pick(['pro', 'studio'] as const);
    await transaction.insert('subscriptions', organizationId, {
      organization_id: organizationId,
      plan,
      status: 'active',
    });
    for (let count = 1 + random.below(2); count > 0; count -= 1) {
      const userId = database.nextUuid();
      const isPoisoned = random.below(8) === 0;
      const terms = [...TERMS.slice(0, 1 + random.below(3)), ...(isPoisoned ? [POISON] : [])];
      const keywords = terms.map((term, position) => ({
        id: database.nextUuid(),
        term,
        below: 1 + random.below(10),
        position,
      }));
      for (const { id, term, below, position } of keywords) {
        await transaction.insert('tracked_keywords', id, {
          ...{ id, organization_id: organizationId, user_id: userId, position, is_active: true, notes: '' },
          ...{ original_term: term, normalized_term: term, term_hash: createHash('sha256').update(term).digest() },
          ...{ priority_enabled: true, priority_field: 'latest_rank', priority_operator: 'lt', priority_value: below },
          ...{ created_at: world.clock.now(), updated_at: world.clock.now() },
        });
      }
      const webhookIds: string[] = [];
      for (let webhooks = random.below(3); webhooks > 0; webhooks -= 1) {
        const id = database.nextUuid();
        const url = `https://${id}.test/`;
        await transaction.insert('webhooks', id, {
          ...{ id, organization_id: organizationId, user_id: userId, url, secret: Buffer.from(id) },
          events: [...WEBHOOK_EVENTS],
        });
        webhookIds.push(id);
        receivers.set(id, random.below(DEADLY_ONE_IN) === 0 ? 'deadly' : random.pick(RECEIVER_KINDS));
      }
      members.push({ organizationId, userId, keywords, webhookIds, isPoisoned });
    }
  }
  transaction.commit();
  return { members, receivers };
}
