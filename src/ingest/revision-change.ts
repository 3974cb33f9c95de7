// Undoing a publication: a period is withdrawn, or an earlier revision of it comes back. Both are publications like any other:
// under the import lock, with a snapshot built for them, and visible in one transaction.
import { OperatorError } from '../domain/error.ts';
import { periodKey } from '../domain/period.ts';
import {
  isAt,
  nextRevision,
  type PublicationAction,
  type RankPublisher,
  type RevisionCatalog,
} from '../domain/rank-publisher.ts';
import type { KeptRevision, PeriodPlace, PublishedPeriod } from '../domain/store.ts';
import type { ImportStage } from './import-request.ts';

export interface RevisionChangeRequest {
  readonly publisher: RankPublisher<never>;
  readonly onStage: (stage: ImportStage) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What an operator was shown, and may have agreed to. */
export interface RevisionChange {
  readonly place: PeriodPlace;
  /** What is published now; undefined when the period was withdrawn. */
  readonly current: PublishedPeriod | undefined;
  /** What comes back; undefined when the period is withdrawn. */
  readonly restored: KeptRevision | undefined;
  /** The number under which it comes back. */
  readonly revision: number | undefined;
}

export function planWithdrawal(catalog: RevisionCatalog, place: PeriodPlace): RevisionChange {
  const current = findCurrent(catalog, place);
  if (!current) {
    throw new OperatorError(`${describePlace(place)} is not published.`, {
      hint: 'keyrank periods lists what is.',
    });
  }
  return { place, current, restored: undefined, revision: undefined };
}

/** Without a number, the revision that ended last comes back. */
export function planRestoration(catalog: RevisionCatalog, place: PeriodPlace, revision?: number): RevisionChange {
  const current = findCurrent(catalog, place);
  const kept = catalog.keptRevisions.filter(({ published }) => isAt(published, place));
  const newestFirst = kept.toSorted(
    (a, b) => b.endedAt.getTime() - a.endedAt.getTime() || b.published.revision - a.published.revision,
  );
  const restored =
    revision === undefined ? newestFirst[0] : kept.find(({ published }) => published.revision === revision);
  if (!restored) {
    const numbers = kept.map(({ published }) => published.revision).join(', ');
    const name = describePlace(place);
    const fault =
      revision === undefined
        ? `No earlier revision of ${name} is kept.`
        : `Revision ${revision} of ${name} is not kept.`;
    throw new OperatorError(fault, {
      hint: kept.length > 0 ? `These are: ${numbers}.` : 'keyrank periods --revisions lists what can be restored.',
    });
  }
  if (current?.digest === restored.published.digest) {
    throw new OperatorError(
      `Revision ${restored.published.revision} of ${describePlace(place)} has the content that is published as revision ${current.revision}.`,
      { hint: 'There is nothing to restore.' },
    );
  }
  return { place, current, restored, revision: nextRevision(catalog, place) };
}

/** Does what was agreed to, or nothing: when the period has changed since, the operator must look again. */
export async function changeRevision(request: RevisionChangeRequest, agreed: RevisionChange): Promise<void> {
  const { publisher, signal, onStage } = request;
  await publisher.openBatch({ onWait: () => onStage('waiting'), signal }, async (batch) => {
    await batch.ready;
    const current = findCurrent(batch.draft, agreed.place);
    if (current?.revision !== agreed.current?.revision) throw changedMeanwhile(agreed.place);
    if (!agreed.restored) {
      if (!current) throw changedMeanwhile(agreed.place);
      batch.withdraw(current);
      return await batch.publish({ onStage, action: actionOf(agreed) });
    }
    const again = planRestoration(batch.draft, agreed.place, agreed.restored.published.revision);
    if (!again.restored || again.revision === undefined) throw changedMeanwhile(agreed.place);
    await batch.restore(again.restored, again.revision);
    await batch.publish({ onStage, action: actionOf(again) });
  });
}

export function describePlace({ marketplace, source, period }: PeriodPlace): string {
  return `${marketplace} ${period.frequency} ${periodKey(period)} ${source}`;
}

function actionOf({ place, current, restored, revision }: RevisionChange): PublicationAction {
  const { marketplace, source, period } = place;
  const where = { marketplace, source, type: period.frequency, period: periodKey(period) };
  const before = { revision_before: current?.revision ?? null };
  if (!restored) return { action: 'period.withdraw', details: { ...where, ...before } };
  const details = { ...where, ...before, restored_revision: restored.published.revision, revision };
  return { action: 'period.restore-revision', details };
}

function findCurrent(catalog: RevisionCatalog, place: PeriodPlace): PublishedPeriod | undefined {
  return catalog.periods.find((published) => isAt(published, place));
}

function changedMeanwhile(place: PeriodPlace): OperatorError {
  return new OperatorError(`${describePlace(place)} was changed meanwhile.`, {
    hint: 'Nothing was done. Look again with keyrank periods --revisions.',
  });
}
