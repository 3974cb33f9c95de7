// Tells of publications: digests and alerts for members who track keywords or products, messages for webhooks. Every server runs one;
// the queue sees to it that each publication is told by one of them, and everyone is told once.

import { evaluatePeriod } from '../domain/digest.ts';
import { isSamePeriod, type Period, periodKey } from '../domain/period.ts';
import { type Plan, visibleWindow } from '../domain/plan.ts';
import type {
  ClaimedPublication,
  MemberNews,
  PublicationQueue,
  PublishedNews,
  TrackedByMember,
} from '../domain/publication.ts';
import type { RankSet, RankStore, RankView } from '../domain/store.ts';
import { MAX_SHOWN_CHANGES, NO_CHANGES, planProductChanges } from '../domain/tracked-product.ts';
import { planLatestRanks } from '../domain/trend.ts';
import { JobLoop } from './job-loop.ts';

export interface PublicationWorkerOptions {
  readonly queue: PublicationQueue;
  readonly ranks: Pick<RankStore, 'catalog' | 'openView'>;
  /** Keywords are tracked in one marketplace. */
  readonly trackedMarketplace: string;
  /** `about` names what the failure concerns. */
  readonly onError: (error: unknown, about?: Readonly<Record<string, unknown>>) => void;
}

const LOOK_EVERY_MS = 5_000;

export function startPublicationWorker(options: PublicationWorkerOptions): JobLoop {
  const { queue, ranks, onError } = options;
  const work = async (loop: JobLoop) => {
    const isStopped = () => loop.isStopped;
    const takeNext = () =>
      queue.takeNext(ranks.catalog.version, (publication) => tell(publication, { ...options, isStopped }));
    while (!isStopped() && (await takeNext()));
  };
  return new JobLoop({ work, everyMs: LOOK_EVERY_MS, onError });
}

/** Whether everyone was told, and not only those who came before the server was stopped. */
async function tell(
  publication: ClaimedPublication,
  options: PublicationWorkerOptions & { readonly isStopped: () => boolean },
): Promise<boolean> {
  const { news } = publication;
  const { marketplace, source, period } = news;
  const set: RankSet = { marketplace, source, frequency: period.frequency };
  using view = options.ranks.openView(set);
  if (!view) return true;
  const failures: unknown[] = [];
  // Whoever cannot be told must not keep the others from it.
  const attempt = async (about: Readonly<Record<string, unknown>>, step: () => Promise<void>) => {
    try {
      await step();
    } catch (error) {
      failures.push(error);
      options.onError(error, { period: periodKey(period), ...about });
      await publication.checkHeld();
    }
  };
  await attempt({}, () => publication.tellWebhooks((plan) => canSee(plan, news, view)));
  const isTracked = source === 'search' && marketplace === options.trackedMarketplace;
  for (const member of isTracked ? await publication.listMembers() : []) {
    if (options.isStopped()) return false;
    const { organizationId, userId, plan } = member;
    await attempt({ organizationId, userId }, async () => {
      if (!canSee(plan, news, view)) return;
      await publication.tellMember(member, (tracked) => evaluate({ view, period, plan, tracked }));
    });
  }
  if (isTracked) await attempt({}, () => publication.tellPeople());
  // Who was told is not told again at the next attempt.
  if (failures.length > 0) throw new Error(`${failures.length} could not be told`, { cause: failures[0] });
  return true;
}

/** An old month that is imported late may lie outside of a plan's window; then it does not exist for that plan. */
function canSee(plan: Plan, { period }: PublishedNews, { periods }: RankView): boolean {
  const window = visibleWindow({ plan, frequency: period.frequency, published: periods });
  return window.some((visible) => isSamePeriod(visible, period));
}

async function evaluate(question: {
  readonly view: RankView;
  readonly period: Period;
  readonly plan: Plan;
  readonly tracked: TrackedByMember;
}): Promise<MemberNews> {
  const { view, period, plan, tracked } = question;
  const { keywords, listRules, defaultRule } = tracked;
  const terms = keywords.map(({ normalizedTerm }) => normalizedTerm);
  const context = { plan, frequency: period.frequency, published: view.periods };
  const rankPlan = planLatestRanks({ frequency: period.frequency, terms }, context);
  const ranks = terms.length === 0 ? [] : await view.listTermRanks(rankPlan);
  const asins = tracked.products.map(({ asin }) => asin);
  const changePlan = planProductChanges({ asins, period, limit: MAX_SHOWN_CHANGES }, context);
  const changes = asins.length === 0 ? [] : await view.listProductChanges(changePlan);
  return {
    ...evaluatePeriod(period, { keywords, listRules, defaultRule, window: rankPlan.window, ranks }),
    products: tracked.products.map((product, i) => ({ product, changes: changes[i] ?? NO_CHANGES })),
  };
}
