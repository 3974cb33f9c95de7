import type { AccountDirectory } from '../domain/account.ts';
import type { Agents } from '../domain/agent.ts';
import type { ChartNotes } from '../domain/chart-note.ts';
import type { Connections } from '../domain/connection.ts';
import type { Digests } from '../domain/digest.ts';
import type { ExportGate } from '../domain/export-gate.ts';
import type { KeywordLists, ListItems } from '../domain/keyword-list.ts';
import type { Mailer } from '../domain/mailer.ts';
import type { Meter, UsageMeters } from '../domain/meter.ts';
import type { Notifications } from '../domain/notification.ts';
import type { OpenIdProvider } from '../domain/openid.ts';
import type { Organizations } from '../domain/organization.ts';
import type { People } from '../domain/people.ts';
import type { FetchedPeriods } from '../domain/period-calendar.ts';
import type { DataLag } from '../domain/published-ranks.ts';
import type { RateLimiter } from '../domain/rate-limit.ts';
import type { ReportImports } from '../domain/report-import.ts';
import type { SavedSearches } from '../domain/saved-search.ts';
import type { SearchHistory } from '../domain/search-history.ts';
import type { Shares } from '../domain/share.ts';
import type { SignIns } from '../domain/sign-in.ts';
import type { RankStore } from '../domain/store.ts';
import type { TrackedKeywords } from '../domain/tracked-keyword.ts';
import type { TrackedProducts } from '../domain/tracked-product.ts';
import type { Webhooks } from '../domain/webhook.ts';
import type { EventStreams } from './event-streams.ts';
import type { IsProxy } from './trusted-proxies.ts';

/** Ends mail by a signed link. */
export interface MailUnsubscription {
  /** Undefined unless the token is ours. */
  findUser(token: string): string | undefined;
  end(userId: string): Promise<void>;
}

/** All that the endpoints work with; boot.ts puts it together. */
export interface Resources {
  readonly accounts: AccountDirectory;
  readonly rateLimiter: RateLimiter;
  readonly history: SearchHistory;
  readonly usage: UsageMeters;
  readonly ranks: Pick<RankStore, 'catalog' | 'checkRoom' | 'openView'> & { readonly defaultMarketplace: string };
  readonly exports: ExportGate;
  /** Where exports that cannot be streamed are written before they are sent. */
  readonly exportDirectory: string;
  readonly trackedKeywords: TrackedKeywords;
  readonly trackedProducts: TrackedProducts;
  readonly digests: Digests;
  readonly fetchedPeriods: FetchedPeriods;
  readonly webhooks: Webhooks;
  readonly connections: Connections;
  readonly reportImports: ReportImports;
  readonly notifications: Notifications;
  readonly events: Pick<EventStreams, 'open' | 'size'>;
  readonly unsubscription: MailUnsubscription;
  readonly lists: KeywordLists;
  readonly listItems: ListItems;
  readonly savedSearches: SavedSearches;
  readonly chartNotes: ChartNotes;
  readonly people: People;
  readonly organizations: Organizations;
  readonly signIns: SignIns;
  /** Null where no OpenID provider is configured. */
  readonly openId: OpenIdProvider | null;
  readonly shares: Shares;
  readonly agents: Agents;
  /** Null where no mail can be sent. */
  readonly mailer: Mailer | null;
  /** Told of a mail that could not be sent. */
  readonly onMailError: (error: unknown) => void;
  /** Where clients reach the service, when that is configured. */
  readonly publicUrl: string | null;
  readonly isTrustedProxy: IsProxy;
  /** Organizations take turns at the event loop; resolves with what to call when the request is answered. */
  readonly turns: { take(owner: string): Promise<() => void> };
  /** Counts a change of an organization, or throws when it has made too many. */
  readonly writeLimit: { take(owner: string, bodyBytes: number): void };
  readonly meterIds: Readonly<Record<Meter, string>>;
  readonly now: () => Date;
  /** Whether an error means that the database cannot be reached, as opposed to a defect. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Resolves when everything a request needs can be reached; rejects otherwise. */
  readonly checkReady: () => Promise<void>;
  /** How far the data that is served is behind what is published. */
  readonly findLag: () => DataLag;
  /** Whether this server answers for its ranks. */
  readonly holdsMarketplace: (marketplace: string) => boolean;
}
