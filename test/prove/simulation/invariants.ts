// What must be true at every moment, and what must be true when the trouble is over.
import { MAX_ATTEMPTS } from '../../../src/domain/webhook.ts';
import type { Member } from './population.ts';
import type { Receivers } from './receivers.ts';
import type { Report } from './simulated-import.ts';
import type { SimulatedServer } from './simulated-server.ts';
import type { DeliveryRow, Tables } from './tables.ts';
import type { World } from './world.ts';

export interface Scene {
  readonly world: World;
  readonly servers: readonly SimulatedServer[];
  readonly members: readonly Member[];
  readonly receivers: Receivers;
  /** All that an operator has tried to import. */
  readonly reports: readonly Report[];
}

/** A server shows of each set a state that was published as a whole, and none older than the manifest that it names. */
export class ServedWatcher {
  readonly #scene: Scene;
  /** What each server showed when it was looked at last. */
  readonly #seen = new Map<SimulatedServer, readonly unknown[]>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  check(): void {
    for (const server of this.#scene.servers) {
      const now = [server.ranks?.catalog, ...server.loaded.values()];
      const before = this.#seen.get(server);
      if (before?.length === now.length && before.every((each, i) => each === now[i])) continue;
      this.#seen.set(server, now);
      checkServed(this.#scene.world, server);
    }
  }
}

function checkServed(world: World, server: SimulatedServer): void {
  const { ranks } = server;
  if (!ranks) return;
  const from = world.history.findIndex(({ version }) => version >= ranks.catalog.version);
  const sets = ranks.catalog.periods.map(
    ({ marketplace, source, period }) => `${marketplace}/${source}/${period.frequency}`,
  );
  for (const set of new Set(sets)) {
    const shown = server.loaded.get(set)?.segments.join();
    const states = world.history.slice(from).map((state) => segmentsOf(state.periods, set));
    if (shown === undefined || !states.includes(shown)) {
      world.violate(`${server.name} shows ${shown ?? 'nothing'} of ${set}, which was not published as such`);
    }
  }
}

/** Whether a server is down, or serves less than what is published. */
export function isBehind({ world, servers }: Scene): boolean {
  const newest = world.history.at(-1)?.version ?? 0;
  return servers.some(({ ranks }) => ranks?.catalog.version !== newest);
}

/** What is still to be done; empty when the world has come to rest. */
export function listUnfinished({ world, servers }: Scene): readonly string[] {
  const newest = world.history.at(-1)?.version ?? 0;
  return [
    ...servers
      .filter(({ ranks }) => ranks?.catalog.version !== newest)
      .map(({ name, ranks }) => `${name} serves version ${ranks?.catalog.version ?? 'none'} and not ${newest}`),
    ...world.database
      .list('publications')
      .filter(({ set_aside_at }) => set_aside_at === null)
      .map(({ id, attempts }) => `publication ${id} waits after ${attempts} attempts`),
    ...world.database
      .list('webhook_deliveries')
      .filter(({ status }) => status === 'pending')
      .map(({ id, attempts }) => `message ${id} is pending after ${attempts} attempts`),
  ];
}

export function checkOutcome(scene: Scene): void {
  checkFiles(scene);
  checkSetAside(scene);
  checkDigests(scene);
  checkHits(scene);
  checkNews(scene);
  checkDeliveries(scene);
}

/** Healthy receivers have got everything, whatever the others do. */
export function checkHealthy({ world, receivers }: Scene): void {
  for (const row of world.database.list('webhook_deliveries')) {
    const isHealthy = receivers.kindOf(row.webhook_id) === 'healthy';
    if (isHealthy && row.status === 'pending')
      world.violate(`message ${row.id} to a healthy receiver is still pending`);
  }
}

function checkFiles({ world }: Scene): void {
  for (const { path, size_bytes } of world.listPublished()) {
    const file = world.disk.find(`/data/${path}`);
    if (file?.kind !== 'file' || file.content.length !== size_bytes) world.violate(`${path} is damaged`);
  }
}

/** Only what nobody could do is set aside, after all attempts, with a reason. */
function checkSetAside({ world, members }: Scene): void {
  const isPoisoned = members.some((member) => member.isPoisoned);
  for (const { id, attempts, error } of world.database.list('publications')) {
    if (!isPoisoned || attempts !== MAX_ATTEMPTS || !error) {
      world.violate(`publication ${id} was set aside after ${attempts} attempts: ${error ?? 'no reason'}`);
    }
  }
}

/** Every member has one digest of every period, whoever else cannot be told. */
function checkDigests({ world, members }: Scene): void {
  const digests = world.database.list('digests');
  for (const { userId, isPoisoned } of members) {
    for (const published of publishedPeriods(world)) {
      const count = digests.filter((row) => row.user_id === userId && isSamePeriod(row, published)).length;
      if (count !== (isPoisoned ? 0 : 1)) world.violate(`${userId} has ${count} digests of ${nameOf(published)}`);
    }
  }
}

/** What the last revision calls for has alerted, nothing has that no revision called for, and everyone heard of it once. */
function checkHits({ world, members, reports }: Scene): void {
  const { database } = world;
  const hits = database.list('priority_hits');
  for (const { organizationId, keywords, webhookIds, isPoisoned } of members) {
    for (const { id, term, below } of isPoisoned ? [] : keywords) {
      for (const published of publishedPeriods(world)) {
        const ofPeriod = reports.filter(({ period }) => isSamePeriod({ ...period, marketplace: 'US' }, published));
        const isMet = ({ ranks }: Report) => (ranks[term] ?? Number.POSITIVE_INFINITY) < below;
        const isHit = hits.some((row) => row.tracked_keyword_id === id && isSamePeriod(row, published));
        if (!isHit && ofPeriod.every(isMet)) world.violate(`${term} of ${id} has not alerted in ${nameOf(published)}`);
        if (isHit && !ofPeriod.some(isMet)) world.violate(`${term} of ${id} has alerted in ${nameOf(published)}`);
        const alerts = database
          .list('webhook_deliveries')
          .filter((row) => row.event_key.includes(id) && row.event_key.includes(nameOf(published)));
        if (alerts.length !== (isHit ? webhookIds.length : 0)) {
          world.violate(`${alerts.length} alerts for the hit of ${id} in ${nameOf(published)}`);
        }
      }
    }
    const counted = database.list('usage_counts').find((row) => row.organization_id === organizationId)?.count ?? 0;
    const happened = hits.filter((row) => row.organization_id === organizationId).length;
    if (counted !== happened) world.violate(`${counted} alerts were counted, ${happened} happened`);
  }
}

/** Every webhook was told of every revision, once. */
function checkNews({ world, members }: Scene): void {
  const revisions = publishedPeriods(world).reduce((sum, { revision }) => sum + revision, 0);
  for (const webhookId of members.flatMap(({ webhookIds }) => webhookIds)) {
    const isNews = (row: DeliveryRow) => row.webhook_id === webhookId && row.event === 'period.published';
    const count = world.database.list('webhook_deliveries').filter(isNews).length;
    if (count !== revisions) world.violate(`${webhookId} was told of ${count} revisions of ${revisions}`);
  }
}

function checkDeliveries({ world, receivers }: Scene): void {
  for (const row of world.database.list('webhook_deliveries')) {
    const sent = receivers.sent.get(row.id);
    const isHealthy = receivers.kindOf(row.webhook_id) === 'healthy';
    const name = `message ${row.id}`;
    if (row.attempts < 1 || row.attempts > MAX_ATTEMPTS) world.violate(`${name} had ${row.attempts} attempts`);
    if (row.status === 'delivered' && !sent?.isAccepted) world.violate(`${name} was not delivered, but counts as such`);
    if (row.status === 'failed' && !row.error) world.violate(`${name} has failed for no reason`);
    if (row.status === 'failed' && isHealthy && row.attempts < MAX_ATTEMPTS) {
      world.violate(`${name} was given up after ${row.attempts} attempts`);
    }
  }
  const known = new Set(world.database.list('webhook_deliveries').map(({ id }) => id));
  for (const id of receivers.sent.keys()) if (!known.has(id)) world.violate(`message ${id} was sent, but never queued`);
}

/** The last revision of each period. */
function publishedPeriods(world: World): readonly Tables['rank_periods'][] {
  return world.database.list('rank_periods');
}

/** File names of the segments, oldest period first. */
function segmentsOf(periods: readonly Tables['rank_periods'][], set: string): string {
  return periods
    .filter(({ marketplace, source, frequency }) => `${marketplace}/${source}/${frequency}` === set)
    .toSorted((a, b) => a.year - b.year || a.number - b.number)
    .map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
    .join();
}

type Place = Pick<Tables['digests'], 'marketplace' | 'frequency' | 'year' | 'number'>;

function isSamePeriod(a: Place, b: Place): boolean {
  return nameOf(a) === nameOf(b) && a.marketplace === b.marketplace;
}

/** As it stands in the key of an event. */
function nameOf({ frequency, year, number }: Omit<Place, 'marketplace'>): string {
  return `${frequency} ${year}-${number} `;
}
