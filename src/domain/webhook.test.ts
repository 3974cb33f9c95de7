import { describe, expect, it } from 'vitest';
import { type AttemptOutcome, MAX_ATTEMPTS, planRetry, RETRY_DELAYS_MS, signedContent } from './webhook.ts';

const refused: AttemptOutcome = { kind: 'refused', responseStatus: 500, error: 'answered 500' };
const HOUR_MS = 3_600_000;

/** Time of the last attempt after the first, when all fail at once. */
function spanMs(random: number): { attempts: number; spanMs: number } {
  let [attempts, span] = [1, 0];
  for (;;) {
    const delay = planRetry({ attempt: attempts }, { outcome: refused, random });
    if (delay === undefined) return { attempts, spanMs: span };
    attempts += 1;
    span += delay;
  }
}

describe('retries', () => {
  it('are spread over almost 24 hours, whatever the jitter', () => {
    for (const random of [0, 0.5, 0.999_999]) {
      const { attempts, spanMs: span } = spanMs(random);
      expect(attempts).toBe(9);
      expect(MAX_ATTEMPTS).toBe(attempts);
      expect(span).toBeGreaterThan(21 * HOUR_MS);
      expect(span).toBeLessThan(24 * HOUR_MS);
    }
    expect(planRetry({ attempt: 1 }, { outcome: refused, random: 0 })).toBe(4_750);
    expect(planRetry({ attempt: 1 }, { outcome: refused, random: 0.5 })).toBe(5_000);
  });

  it('come after 5 s, 1, 5 and 30 min, 2 and 5 h, and twice 7.5 h', () => {
    expect(RETRY_DELAYS_MS.map((ms) => ms / 1000)).toEqual([5, 60, 300, 1800, 7200, 18_000, 27_000, 27_000]);
  });

  it('come with growing pauses', () => {
    expect(RETRY_DELAYS_MS.toSorted((a, b) => a - b)).toEqual(RETRY_DELAYS_MS);
  });

  it('follow every failure but 410, and no success', () => {
    const retried = (outcome: AttemptOutcome) => planRetry({ attempt: 1 }, { outcome, random: 0 }) !== undefined;
    expect(retried({ kind: 'accepted', responseStatus: 204 })).toBe(false);
    expect(retried({ kind: 'refused', responseStatus: 410, error: '' })).toBe(false);
    expect(retried({ kind: 'refused', responseStatus: 404, error: '' })).toBe(true);
    expect(retried({ kind: 'refused', responseStatus: 301, error: '' })).toBe(true);
    expect(retried({ kind: 'unreachable', error: '' })).toBe(true);
  });
});

it('what is signed is id, time and payload', () => {
  expect(signedContent({ id: 'a', timestamp: '1', payload: '{}' })).toBe('a.1.{}');
});
