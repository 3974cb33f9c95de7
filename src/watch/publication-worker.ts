// Tells of publications: digests and alerts for members who track keywords, messages for webhooks. Every server runs one;
// the queue sees to it that each publication is told by one of them, and everyone is told once.

import { evaluatePeriod } from '../domain/digest.ts';
import { isSamePeriod, type Period } from '../domain/period.ts';
import { PLANS, type Plan, visibleWindow } from '../domain/plan.ts';
import type { ClaimedPublication, MemberNews, PublicationQueue, PublishedNews } from '../domain/publication.ts';
import type { PublishedRanks } from '../domain/published-ranks.ts';
import type { RankSet, RankView } from '../domain/store.ts';
import type { TrackedKeyword } from '../domain/tracked-keyword.ts';
import { planLatestRanks } from '../domain/trend.ts';
import { JobLoop } from './job-loop.ts';

export interface PublicationWorkerOptions {
  readonly queue: PublicationQueue;
  readonly ranks: PublishedRanks;
  /** Keywords are tracked in one marketplace. */
  readonly trackedMarketplace: string;
  readonly onError: (error: unknown) => void;
}

const LOOK_EVERY_MS = 5_000;

export function startPublicationWorker(options: PublicationWorkerOptions): JobLoop {
  const { queue, ranks, onError } = options;
  const work = async (loop: JobLoop) => {
    const isStopped = () => loop.isStopped;
    const takeNext = () =>
      queue.takeNext(ranks.manifest.version, (publication) => tell(publication, { ...options, isStopped }));
    while (!isStopped() && (await takeNext()));
  };
  return new JobLoop({ work, everyMs: LOOK_EVERY_MS, onError });
}

/** Whether everyone was told, and not only those who came before the server was stopped. */
async function tell(
  publication: ClaimedPublication,
  options: PublicationWorkerOptions & { readonly isStopped: () => boolean },
): Promise<boolean> {
  const { marketplace, source, period } = publication.news;
  const set: RankSet = { marketplace, source, frequency: period.frequency };
  using view = options.ranks.openView(set);
  if (!view) return true;
  await publication.tellWebhooks(PLANS.filter((plan) => canSee(plan, publication.news, view)));
  if (source !== 'search' || marketplace !== options.trackedMarketplace) return true;
  for (const member of await publication.listMembers()) {
    if (options.isStopped()) return false;
    if (!canSee(member.plan, publication.news, view)) continue;
    await publication.tellMember(member, (keywords) => evaluate({ view, period, plan: member.plan, keywords }));
  }
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
  readonly keywords: readonly TrackedKeyword[];
}): Promise<MemberNews> {
  const { view, period, plan, keywords } = question;
  const terms = keywords.map(({ normalizedTerm }) => normalizedTerm);
  const rankPlan = planLatestRanks({ frequency: period.frequency, terms }, { plan, published: view.periods });
  const ranks = await view.listTermRanks(rankPlan, {});
  return evaluatePeriod(period, { keywords, window: rankPlan.window, ranks });
}
