// What follows from an answer: every rule for what goes wrong at Amazon, as a pure function of download, answer and chance.
import type { Answer, Download, ListedReport, NextStep } from './download.ts';
import { periodDates } from './period.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Reports of the last days are used again instead of being asked for again. */
export const REUSE_MS = 3 * DAY_MS;
/** Servers that may die at one download before it is given up. */
export const MAX_LOST = 9;

const POLL_DELAYS_MS = [30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] as const;
/** After about a day of looking, the report is asked for again. */
const MAX_POLLS = 100;
/** A week that ended so lately may simply not be made yet. */
const EARLY_DAYS = { weekly: 12, monthly: 20 } as const;
const EARLY_WAIT_MS = 8 * HOUR_MS;
const MAX_FATALS = 5;
const MAX_REFUSALS = 4;
const MAX_CUTS = 8;
const MAX_SPOILED = 4;
const MAX_MACHINE_FAULTS = 40;
const HOLD_MS = 6 * HOUR_MS;
const SEALED_HOLD_MS = 10 * MINUTE_MS;
/** An imported period is looked at again so long after its import, for as long as it is recent. */
export const RECHECK_MS = 7 * DAY_MS;

/** What follows from an answer. `random` is from 0 to below 1. */
export function planStep(download: Download, answer: Answer, random: number): NextStep {
  const stay = stayOf(download);
  switch (answer.kind) {
    case 'recheck':
      return {
        ...askAgain(stay),
        wantsNew: true,
        fatals: 0,
        spoiled: 0,
        message: 'looking for a correction',
        delayMs: 0,
      };
    case 'by-hand':
      return {
        ...stay,
        state: 'imported',
        reportId: null,
        documentId: null,
        discards: true,
        message: 'imported or withdrawn by hand, which stays as it is',
        delayMs: undefined,
      };
    case 'listed':
      return planListed(download, answer.reports);
    case 'created':
      return {
        ...stay,
        state: 'requested',
        reportId: answer.reportId,
        failures: 0,
        polls: 0,
        message: 'asked for; Amazon is making it',
        delayMs: jitter(POLL_DELAYS_MS[0], random),
      };
    case 'report':
      return planReport(download, answer, random);
    case 'downloaded':
      return { ...stay, state: 'downloaded', failures: 0, message: 'downloaded; waits to be imported', delayMs: 0 };
    case 'imported':
      return {
        ...stay,
        state: 'imported',
        isListed: false,
        reportId: null,
        documentId: null,
        failures: 0,
        spoiled: 0,
        fatals: 0,
        discards: true,
        message: answer.isUnchanged
          ? `there as revision ${answer.revision}, unchanged`
          : `imported as revision ${answer.revision}`,
        delayMs: download.isRecent ? jitter(RECHECK_MS, random) : undefined,
      };
    case 'fault':
      return planFault(download, answer, random);
  }
}

/** The newest report of the period that is made or being made, and not too old. */
function planListed(download: Download, reports: readonly ListedReport[]): NextStep {
  const stay = stayOf(download);
  const found = findReusable(download, reports);
  if (!found)
    return { ...stay, isListed: true, failures: 0, message: 'waits for its turn to be asked for', delayMs: 0 };
  const { reportId } = found;
  return { ...stay, state: 'requested', reportId, failures: 0, polls: 0, message: 'Amazon has it already', delayMs: 0 };
}

export function findReusable(
  { period, wantedSince }: Pick<Download, 'period' | 'wantedSince'>,
  reports: readonly ListedReport[],
): ListedReport | undefined {
  const { start, end } = periodDates(period);
  return reports
    .filter(
      ({ status, createdAt, startDate, endDate }) =>
        (status === 'DONE' || isBeingMade(status)) &&
        createdAt >= wantedSince &&
        startDate === start &&
        endDate === end,
    )
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0];
}

function isBeingMade(status: string): boolean {
  return status === 'IN_QUEUE' || status === 'IN_PROGRESS';
}

function planReport(download: Download, answer: Answer & { readonly kind: 'report' }, random: number): NextStep {
  const stay = stayOf(download);
  const { status, documentId, why } = answer;
  if (isBeingMade(status)) {
    const polls = download.polls + 1;
    if (polls > MAX_POLLS) {
      return {
        ...askAgain(stay),
        reason: 'not-made',
        wantsNew: true,
        message: 'Amazon did not finish it in a day; asked again',
        delayMs: 0,
      };
    }
    const delayMs = jitter(POLL_DELAYS_MS[Math.min(polls, POLL_DELAYS_MS.length - 1)] ?? 0, random);
    return { ...stay, polls, failures: 0, message: 'asked for; Amazon is making it', delayMs };
  }
  if (status === 'DONE' && documentId !== null) {
    return {
      ...stay,
      state: 'ready',
      documentId,
      failures: 0,
      polls: 0,
      message: 'ready to be downloaded',
      delayMs: 0,
    };
  }
  const said = why === undefined || why === '' ? '' : ` Amazon says: ${why}`;
  const how = status === 'CANCELLED' ? 'cancelled it' : 'could not make it';
  if (isEarly(download)) {
    const message = `Amazon ${how}: most likely it is too early, reports come two to three days after their period.${said}`;
    return { ...askAgain(stay), reason: 'early', wantsNew: true, message, delayMs: jitter(EARLY_WAIT_MS, random) };
  }
  const fatals = download.fatals + 1;
  // Of old periods Amazon may simply have nothing any more.
  if (fatals >= (download.isRecent ? MAX_FATALS : MAX_FATALS - 2)) {
    const message = `Amazon ${how} ${fatals} times: it may have no data of this period for this account.${said}`;
    return { ...giveUp(stay), reason: 'not-made', message };
  }
  const message = `Amazon ${how}; asked again later.${said}`;
  const delayMs = jitter(2 ** (fatals - 1) * 2 * HOUR_MS, random);
  return { ...askAgain(stay), reason: 'not-made', wantsNew: true, fatals, message, delayMs };
}

function planFault(download: Download, answer: Answer & { readonly kind: 'fault' }, random: number): NextStep {
  const failures = download.failures + 1;
  const stay: Plan = { ...stayOf(download), failures, reason: answer.fault };
  const backoff = (minMs: number, maxMs: number) =>
    Math.max(answer.retryAfterMs ?? 0, jitter(Math.min(maxMs, minMs * 2 ** Math.min(failures - 1, 20)), random));
  const { fault, detail } = answer;
  switch (fault) {
    case 'throttled':
      return { ...stay, message: 'Amazon asks to come slower', delayMs: backoff(MINUTE_MS, 30 * MINUTE_MS) };
    case 'unavailable':
      // A report may have been asked for although nobody heard the answer: it is looked for before it is asked for again.
      return {
        ...stay,
        isListed: false,
        message: `Amazon cannot be reached: ${detail}`,
        delayMs: backoff(30 * SECOND_MS, HOUR_MS),
      };
    case 'token-expired':
      return { ...stay, message: 'the access token expired; a new one is taken', delayMs: backoff(SECOND_MS, HOUR_MS) };
    case 'credentials':
      return { ...stay, message: credentialsFault(detail), delayMs: 0, holdMs: jitter(HOLD_MS, random) };
    case 'sealed':
      return { ...stay, message: detail, delayMs: 0, holdMs: jitter(SEALED_HOLD_MS, random) };
    case 'forbidden':
    case 'refused':
      return planRefused(download, answer, random);
    case 'gone':
      return {
        ...askAgain(stay),
        message: 'Amazon does not have it any more; asked again',
        delayMs: backoff(MINUTE_MS, HOUR_MS),
        wantsNew: true,
        discards: true,
      };
    case 'address-expired':
      return {
        ...stay,
        message: 'the address of the file expired; a new one is taken',
        delayMs: backoff(SECOND_MS, HOUR_MS),
      };
    case 'cut':
      if (failures > MAX_CUTS) {
        const message = `the download was cut ${failures} times; asked again`;
        return {
          ...askAgain(stay),
          failures: 0,
          message,
          delayMs: jitter(HOUR_MS, random),
          wantsNew: true,
          discards: true,
        };
      }
      return {
        ...stay,
        state: 'ready',
        message: `the download was cut: ${detail}`,
        delayMs: backoff(5 * SECOND_MS, 10 * MINUTE_MS),
        // What came so far is kept and continued, until that does not help either.
        discards: failures > MAX_CUTS / 2,
      };
    case 'unreadable':
      return planSpoiled(download, detail, random);
    case 'declined':
      return { ...giveUp(stay), message: detail };
    case 'machine':
      if (failures >= MAX_MACHINE_FAULTS) return { ...giveUp(stay), discards: false, message: detail };
      return { ...stay, message: `not imported yet: ${detail}`, delayMs: backoff(MINUTE_MS, 2 * HOUR_MS) };
  }
}

/** Counted apart from what goes wrong by chance: only an answer like this one, again and again, is a reason to give up. */
function planRefused(
  download: Download,
  { fault, detail }: Answer & { readonly kind: 'fault' },
  random: number,
): NextStep {
  const fatals = download.fatals + 1;
  const stay: Plan = { ...stayOf(download), fatals, reason: fault };
  const message =
    fault === 'forbidden'
      ? `Amazon forbids it: ${detail} Check that the application has the Brand Analytics role and the account a brand in this marketplace.`
      : `Amazon does not take the request: ${detail}`;
  if (fatals >= MAX_REFUSALS) return { ...giveUp(stay), message };
  return { ...stay, message, delayMs: jitter(2 ** (fatals - 1) * 2 * HOUR_MS, random) };
}

/** First the same document again, then another report, then nothing more. */
function planSpoiled(download: Download, detail: string, random: number): NextStep {
  const spoiled = download.spoiled + 1;
  const stay: Plan = { ...stayOf(download), spoiled, failures: 0, reason: 'unreadable', discards: true };
  if (spoiled > MAX_SPOILED) return { ...giveUp(stay), message: `the file cannot be imported: ${detail}` };
  const message = `the file cannot be imported (${detail}); fetched again`;
  if (spoiled % 2 === 1) return { ...stay, state: 'ready', message, delayMs: jitter(MINUTE_MS, random) };
  return { ...askAgain(stay), wantsNew: true, message, delayMs: jitter(spoiled * HOUR_MS, random) };
}

/** Given up by the queue: whoever works on it dies. */
export function planLost(download: Download): NextStep {
  const message = `the server stopped ${download.lost} times while it worked on this`;
  return { ...giveUp(stayOf(download)), reason: 'lost', message };
}

export function credentialsFault(detail: string): string {
  return `Amazon does not accept the secrets: ${detail} Enter them again on the page, or with: keyrank connection rotate NAME`;
}

/** Whether a report may be missing because its period ended lately. */
function isEarly({ period, now }: Pick<Download, 'period' | 'now'>): boolean {
  const endMs = Date.parse(`${periodDates(period).end}T00:00:00Z`) + DAY_MS;
  return now.getTime() - endMs < EARLY_DAYS[period.frequency] * DAY_MS;
}

type Plan = Omit<NextStep, 'message' | 'delayMs'>;

function stayOf({ state, isListed, reportId, documentId, polls, failures, spoiled, fatals }: Download): Plan {
  const place = { state, isListed, reportId, documentId };
  return { ...place, polls, failures, spoiled, fatals, reason: null, discards: false, wantsNew: false };
}

function askAgain(plan: Plan): Plan {
  return { ...plan, state: 'wanted', isListed: false, reportId: null, documentId: null, polls: 0 };
}

function giveUp(plan: Plan): Plan & { readonly delayMs: undefined } {
  return { ...askAgain(plan), state: 'failed', discards: true, delayMs: undefined };
}

/** Within a fifth of it: what failed together must not be tried again together. */
function jitter(ms: number, random: number): number {
  return Math.round(ms * (0.9 + 0.2 * random));
}
