// A publication is the news that a period was published or revised. It waits in a queue, written by the transaction that
// publishes, until every member who tracks something and every webhook has been told, once.
import type { Tenant } from './account.ts';
import type { DigestRow, PriorityHit } from './digest.ts';
import type { Plan } from './plan.ts';
import type { PublishedPeriod } from './store.ts';
import type { PriorityRule, TrackedKeyword } from './tracked-keyword.ts';
import type { TrackedProduct, TrackedProductNews } from './tracked-product.ts';

/** Only the first revision makes digests. */
export type PublishedNews = Pick<
  PublishedPeriod,
  'marketplace' | 'source' | 'period' | 'revision' | 'startDate' | 'endDate' | 'keywords' | 'publishedAt'
>;

/** A user of an organization with an active subscription who tracks at least one active keyword or product. */
export interface WatchingMember extends Tenant {
  readonly plan: Plan;
}

/** What a member is told of a publication. */
export interface MemberNews {
  readonly rows: readonly DigestRow[];
  readonly hits: readonly PriorityHit[];
  /** One per product, changed or not. */
  readonly products: readonly TrackedProductNews[];
}

/** What a member tracks, the paused left out. */
export interface TrackedByMember {
  readonly keywords: readonly TrackedKeyword[];
  /** Of the lists of the organization, by normalised term. */
  readonly listRules: ReadonlyMap<string, readonly PriorityRule[]>;
  /** The member's own, for keywords that have no other; undefined without one. */
  readonly defaultRule: PriorityRule | undefined;
  readonly products: readonly TrackedProduct[];
}

/** One publication that this process tells of, and no other meanwhile. */
export interface ClaimedPublication {
  readonly news: PublishedNews;
  listMembers(): Promise<readonly WatchingMember[]>;
  /**
   * Tells one member, all or nothing: the digest, the alerts with their meter, and the messages to the member's webhooks.
   * Whatever was told before, by a process that died, is not told again. `evaluate` gets what the member tracks.
   */
  tellMember(member: WatchingMember, evaluate: (tracked: TrackedByMember) => Promise<MemberNews>): Promise<void>;
  /** Queues the mails and chat messages about it, when all members were told; at most one mail for each person. */
  tellPeople(): Promise<void>;
  /** Queues `period.published` for the webhooks of organizations whose plan can see the period; once for each. */
  tellWebhooks(canSee: (plan: Plan) => boolean): Promise<void>;
  /** Fails when the claim was lost, as with a database that is gone: then there is no point in going on. */
  checkHeld(): Promise<void>;
}

export interface PublicationQueue {
  /**
   * Runs work on the oldest publication that is due, that the loaded manifest version covers and that no other process has
   * claimed; false when there is none. Work says whether everyone was told: if not, another process may go on at once. The
   * attempt is counted before the work, so that it counts also when the process dies. After a failure it is tried again
   * later, and set aside after the last attempt (MAX_ATTEMPTS).
   */
  takeNext(manifestVersion: number, work: (publication: ClaimedPublication) => Promise<boolean>): Promise<boolean>;
}
