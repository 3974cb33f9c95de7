import { describe, expect, it } from 'vitest';
import { DatabaseBusyError } from './fair-pool.ts';
import { KeyLookups } from './key-lookups.ts';

/** A database that answers when told to. */
function openLookups(valid: ReadonlySet<string> = new Set()) {
  const waiting: (() => void)[] = [];
  let asked = 0;
  const lookups = new KeyLookups<string>(async (hash) => {
    asked += 1;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return valid.has(hash.toString()) ? hash.toString() : undefined;
  });
  const answerAll = async (): Promise<void> => {
    for (let idle = 0; idle < 5; idle += 1) {
      for (const answer of waiting.splice(0)) {
        answer();
        idle = 0;
      }
      await new Promise(setImmediate);
    }
  };
  return { lookups, find: (id: string) => lookups.find(id, Buffer.from(id)), answerAll, asked: () => asked };
}

describe('keys that are looked up', () => {
  it('are asked for two at a time, and those that are too many are sent away', async () => {
    const { find, answerAll, asked } = openLookups();
    const finds = Array.from({ length: 203 }, (_, n) => find(`invented ${n}`).catch((error: unknown) => error));
    await new Promise(setImmediate);
    expect(asked()).toBe(2);
    expect(await finds[202]).toBeInstanceOf(DatabaseBusyError);
    await answerAll();
    expect(await Promise.all(finds.slice(0, 202))).toEqual(Array(202).fill(undefined));
    expect(asked()).toBe(202);
  });

  it('do not wait behind invented ones when they were valid before', async () => {
    const { find, answerAll, asked } = openLookups(new Set(['mine']));
    const first = find('mine');
    await answerAll();
    expect(await first).toBe('mine');
    const invented = Array.from({ length: 202 }, (_, n) => find(`invented ${n}`));
    const again = find('mine');
    await new Promise(setImmediate);
    expect(asked()).toBe(1 + 2 + 1);
    await answerAll();
    expect(await again).toBe('mine');
    await Promise.all(invented);
  });

  it('are known to be nobody’s until a key may have been made', async () => {
    const { find, lookups, answerAll } = openLookups();
    const finding = find('invented');
    await answerAll();
    await finding;
    expect(lookups.isUnknown('invented')).toBe(true);
    lookups.forget();
    expect(lookups.isUnknown('invented')).toBe(false);
  });

  it('are not known to be nobody’s when a key was made while they were looked up', async () => {
    const { find, lookups, answerAll } = openLookups();
    const finding = find('just made');
    await new Promise(setImmediate);
    lookups.forget();
    await answerAll();
    await finding;
    expect(lookups.isUnknown('just made')).toBe(false);
  });
});
