import { describe, expect, it } from 'vitest';
import type { Answer, Download, DownloadFault } from './download.ts';
import { findReusable, planLost, planStep } from './download-step.ts';

const HOUR_MS = 3_600_000;
const MIDDLE = 0.5;

function download(given: Partial<Download> = {}): Download {
  return {
    id: 'a',
    connectionId: 'c',
    marketplace: 'US',
    // Ended on Saturday 2026-07-11.
    period: { frequency: 'weekly', year: 2026, number: 28 },
    state: 'requested',
    isListed: false,
    wantedSince: new Date('2026-07-12T00:00:00Z'),
    reportId: 'r1',
    documentId: null,
    polls: 0,
    failures: 0,
    spoiled: 0,
    fatals: 0,
    lost: 0,
    now: new Date('2026-07-15T00:00:00Z'),
    isRecent: true,
    ...given,
  };
}

const LATER = new Date('2026-09-15T00:00:00Z');
const fault = (kind: DownloadFault, given: Partial<Download> = {}, retryAfterMs?: number) =>
  planStep(download(given), { kind: 'fault', fault: kind, detail: 'so it said.', retryAfterMs }, MIDDLE);
const report = (status: string, given: Partial<Download> = {}, documentId: string | null = null) =>
  planStep(download(given), { kind: 'report', status, documentId }, MIDDLE);

describe('planStep', () => {
  it('asks only for what Amazon does not have', () => {
    const wanted = download({ state: 'wanted', reportId: null });
    expect(planStep(wanted, { kind: 'listed', reports: [] }, MIDDLE)).toMatchObject({
      state: 'wanted',
      isListed: true,
      delayMs: 0,
    });
    const listed: Answer = {
      kind: 'listed',
      reports: [{ reportId: 'r7', status: 'DONE', createdAt: LATER, startDate: '2026-07-05', endDate: '2026-07-11' }],
    };
    expect(planStep(wanted, listed, MIDDLE)).toMatchObject({ state: 'requested', reportId: 'r7', delayMs: 0 });
  });

  it('goes from asked for to imported', () => {
    expect(planStep(download(), { kind: 'created', reportId: 'r2' }, MIDDLE)).toMatchObject({
      state: 'requested',
      reportId: 'r2',
      delayMs: 30_000,
    });
    expect(report('DONE', {}, 'd1')).toMatchObject({ state: 'ready', documentId: 'd1', delayMs: 0 });
    expect(planStep(download({ state: 'ready' }), { kind: 'downloaded' }, MIDDLE)).toMatchObject({
      state: 'downloaded',
    });
    const imported = planStep(
      download({ state: 'downloaded', failures: 3 }),
      { kind: 'imported', revision: 2, isUnchanged: false },
      MIDDLE,
    );
    expect(imported).toMatchObject({
      state: 'imported',
      failures: 0,
      discards: true,
      message: 'imported as revision 2',
      reportId: null,
    });
  });

  it('looks at a report that is being made less and less often, and asks again after a day', () => {
    expect(report('IN_QUEUE').delayMs).toBe(60_000);
    expect(report('IN_PROGRESS', { polls: 3 }).delayMs).toBe(900_000);
    expect(report('IN_PROGRESS', { polls: 50 })).toMatchObject({ state: 'requested', delayMs: 900_000, polls: 51 });
    expect(report('IN_PROGRESS', { polls: 100 })).toMatchObject({ state: 'wanted', wantsNew: true, reportId: null });
  });

  it('waits when a report is asked for too early, without counting', () => {
    for (const status of ['FATAL', 'CANCELLED']) {
      const step = report(status);
      expect(step).toMatchObject({ state: 'wanted', fatals: 0, delayMs: 8 * HOUR_MS });
      expect(step.message).toContain('too early');
    }
  });

  it('gives up a report that Amazon does not make although its time has come, older ones sooner', () => {
    expect(report('FATAL', { now: LATER })).toMatchObject({ state: 'wanted', fatals: 1, delayMs: 2 * HOUR_MS });
    expect(report('FATAL', { now: LATER, fatals: 3 })).toMatchObject({
      state: 'wanted',
      fatals: 4,
      delayMs: 16 * HOUR_MS,
    });
    expect(report('FATAL', { now: LATER, fatals: 4 })).toMatchObject({ state: 'failed', delayMs: undefined });
    expect(report('FATAL', { now: LATER, fatals: 2, isRecent: false }).state).toBe('failed');
    expect(report('DONE', { now: LATER }).state).toBe('wanted');
  });

  it('says why, in the words of Amazon', () => {
    const answer: Answer = { kind: 'report', status: 'FATAL', documentId: null, why: 'No data.' };
    expect(planStep(download({ now: LATER }), answer, MIDDLE).message).toBe(
      'Amazon could not make it; asked again later. Amazon says: No data.',
    );
  });

  it('goes slower when it is throttled, and never gives up because of it', () => {
    expect(fault('throttled')).toMatchObject({ state: 'requested', failures: 1, delayMs: 60_000 });
    expect(fault('throttled', { failures: 500 })).toMatchObject({ state: 'requested', delayMs: 1_800_000 });
    expect(fault('throttled', {}, 600_000).delayMs).toBe(600_000);
  });

  it('tries for ever while Amazon cannot be reached, and looks before it asks again', () => {
    expect(fault('unavailable', { state: 'wanted', isListed: true })).toMatchObject({
      state: 'wanted',
      isListed: false,
      delayMs: 30_000,
    });
    expect(fault('unavailable', { failures: 1000 })).toMatchObject({ state: 'requested', delayMs: HOUR_MS });
  });

  it('spreads what failed together', () => {
    const delays = [0, 0.25, 0.999].map(
      (random) => planStep(download(), { kind: 'fault', fault: 'unavailable', detail: '' }, random).delayMs,
    );
    expect(delays).toEqual([27_000, 28_500, 32_994]);
  });

  it('takes another token or address when one has expired', () => {
    expect(fault('token-expired')).toMatchObject({ state: 'requested', delayMs: 1_000 });
    expect(fault('address-expired', { state: 'ready' })).toMatchObject({ state: 'ready', delayMs: 1_000 });
  });

  it('holds the whole connection when its secrets are refused or cannot be opened', () => {
    expect(fault('credentials')).toMatchObject({ state: 'requested', holdMs: 6 * HOUR_MS });
    expect(fault('credentials').message).toContain('keyrank connection rotate');
    expect(fault('sealed')).toMatchObject({ holdMs: 600_000, message: 'so it said.' });
  });

  it.each(['forbidden', 'refused'] as const)('gives up what is %s after a few tries', (kind) => {
    expect(fault(kind)).toMatchObject({ state: 'requested', delayMs: 2 * HOUR_MS });
    expect(fault(kind, { fatals: 3 })).toMatchObject({ state: 'failed', delayMs: undefined });
    expect(fault(kind, { fatals: 3 }).message).toContain('so it said.');
    expect(fault(kind, { failures: 100 }).state).toBe('requested');
  });

  it('asks again for a report that is gone', () => {
    expect(fault('gone', { state: 'ready' })).toMatchObject({
      state: 'wanted',
      wantsNew: true,
      discards: true,
      documentId: null,
    });
  });

  it('continues a body that was cut, then begins anew, then asks for another', () => {
    expect(fault('cut', { state: 'ready' })).toMatchObject({ state: 'ready', discards: false, delayMs: 5_000 });
    expect(fault('cut', { state: 'downloaded' }).state).toBe('ready');
    expect(fault('cut', { state: 'ready', failures: 4 })).toMatchObject({ state: 'ready', discards: true });
    expect(fault('cut', { state: 'ready', failures: 8 })).toMatchObject({
      state: 'wanted',
      wantsNew: true,
      failures: 0,
    });
  });

  it('fetches a body again that cannot be imported, then another report, and gives up in the end', () => {
    expect(fault('unreadable', { state: 'downloaded' })).toMatchObject({ state: 'ready', spoiled: 1, discards: true });
    expect(fault('unreadable', { state: 'downloaded', spoiled: 1 })).toMatchObject({
      state: 'wanted',
      spoiled: 2,
      wantsNew: true,
    });
    expect(fault('unreadable', { state: 'downloaded', spoiled: 4 })).toMatchObject({
      state: 'failed',
      message: 'the file cannot be imported: so it said.',
    });
  });

  it('leaves to the operator what the importer declines', () => {
    expect(fault('declined', { state: 'downloaded' })).toMatchObject({
      state: 'failed',
      message: 'so it said.',
      discards: true,
    });
  });

  it('keeps a body while this machine is in trouble', () => {
    expect(fault('machine', { state: 'downloaded' })).toMatchObject({
      state: 'downloaded',
      discards: false,
      delayMs: 60_000,
    });
    expect(fault('machine', { state: 'downloaded', failures: 38 })).toMatchObject({
      state: 'downloaded',
      delayMs: 2 * HOUR_MS,
    });
    expect(fault('machine', { state: 'downloaded', failures: 39 })).toMatchObject({ state: 'failed', discards: false });
  });

  it('looks for corrections of recent periods only', () => {
    const imported: Answer = { kind: 'imported', revision: 1, isUnchanged: true };
    expect(planStep(download(), imported, MIDDLE).delayMs).toBe(7 * 24 * HOUR_MS);
    expect(planStep(download({ isRecent: false }), imported, MIDDLE).delayMs).toBeUndefined();
    expect(planStep(download({ state: 'imported' }), { kind: 'recheck' }, MIDDLE)).toMatchObject({
      state: 'wanted',
      wantsNew: true,
    });
  });

  it('leaves alone what was imported or withdrawn by hand', () => {
    expect(planStep(download({ state: 'wanted' }), { kind: 'by-hand' }, MIDDLE)).toMatchObject({
      state: 'imported',
      delayMs: undefined,
      discards: true,
    });
  });

  it('gives up a download at which servers die', () => {
    expect(planLost(download({ lost: 9 }))).toMatchObject({
      state: 'failed',
      message: 'the server stopped 9 times while it worked on this',
    });
  });
});

describe('findReusable', () => {
  const listed = { reportId: 'r1', status: 'DONE', createdAt: LATER, startDate: '2026-07-05', endDate: '2026-07-11' };

  it('takes the newest report of exactly this period', () => {
    const newer = { ...listed, reportId: 'r2', status: 'IN_QUEUE', createdAt: new Date('2026-09-16T00:00:00Z') };
    expect(findReusable(download(), [listed, newer])?.reportId).toBe('r2');
  });

  it('takes no report that failed, is too old, or is of other days', () => {
    const others = [
      { ...listed, status: 'FATAL' },
      { ...listed, createdAt: new Date('2026-07-11T23:59:59Z') },
      { ...listed, startDate: '2026-07-01' },
      { ...listed, endDate: '2026-07-31' },
    ];
    expect(findReusable(download(), others)).toBeUndefined();
  });
});
