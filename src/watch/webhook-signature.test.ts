import { describe, expect, it } from 'vitest';
import { findSignatureFault, parseSecret, signMessage } from './webhook-signature.ts';

const SECRET = Buffer.from('0123456789abcdef0123456789abcdef');
const NOW = new Date('2026-05-01T12:00:00Z');
const NOW_SECONDS = NOW.getTime() / 1000;
const MESSAGE = { id: 'msg_1', timestamp: String(NOW_SECONDS), payload: '{"type":"period.published"}' };
const SIGNATURE = signMessage(MESSAGE, SECRET);

function faultOf(change: Partial<typeof MESSAGE>, signatures?: string): string | undefined {
  const message = { ...MESSAGE, ...change };
  return findSignatureFault(message, {
    signatures: signatures ?? signMessage(message, SECRET),
    secret: SECRET,
    now: NOW,
  });
}

describe('a signature', () => {
  it('is version 1 and 32 bytes in base64', () => {
    expect(SIGNATURE).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
  });

  it('is good for the very message it was made for', () => {
    expect(faultOf({})).toBeUndefined();
    for (const change of [{ id: 'msg_2' }, { timestamp: String(NOW_SECONDS - 1) }, { payload: '{}' }]) {
      expect(faultOf(change, SIGNATURE)).toBe('webhook-signature does not match');
    }
    expect(faultOf({}, signMessage(MESSAGE, Buffer.from('another secret')))).toBe('webhook-signature does not match');
  });

  it('may stand beside others, as long as one is good', () => {
    const other = signMessage(MESSAGE, Buffer.from('another secret'));
    expect(faultOf({}, `${other} ${SIGNATURE}`)).toBeUndefined();
    expect(faultOf({}, `${SIGNATURE} v1a,unknown`)).toBeUndefined();
    for (const signatures of ['', other, `${other} ${other}`, SIGNATURE.slice(0, -1), `${SIGNATURE}x`]) {
      expect(faultOf({}, signatures)).toBe('webhook-signature does not match');
    }
  });

  it('is good for five minutes, before and after', () => {
    for (const seconds of [-300, -299, 299, 300]) {
      expect(faultOf({ timestamp: String(NOW_SECONDS + seconds) })).toBeUndefined();
    }
    for (const seconds of [-301, 301]) {
      const fault = faultOf({ timestamp: String(NOW_SECONDS + seconds) });
      expect(fault).toBe('webhook-timestamp is more than five minutes off');
    }
  });

  it.each(['', 'now', '-1', '1e9', ` ${NOW_SECONDS}`, `${NOW_SECONDS}.5`, '1234567890123'])(
    'is refused with the time %j',
    (timestamp) => expect(faultOf({ timestamp })).toBe('webhook-timestamp is not a Unix time'),
  );
});

describe('a secret', () => {
  it('is read with and without its prefix', () => {
    for (const prefix of ['whsec_', '']) {
      expect(parseSecret(prefix + SECRET.toString('base64'))).toEqual(SECRET);
      expect(parseSecret(`${prefix}YWI=`)).toEqual(Buffer.from('ab'));
      expect(parseSecret(`${prefix}YQ==`)).toEqual(Buffer.from('a'));
      expect(parseSecret(`${prefix}+/+/`)).toEqual(Buffer.from([0xfb, 0xff, 0xbf]));
    }
  });

  it.each(['', 'whsec_', 'whsec_a b', 'YQ===', 'Y=Q', '-_', 'YWJj whsec_', ' YWJj'])('is not %j', (text) => {
    expect(parseSecret(text)).toBeUndefined();
  });
});
