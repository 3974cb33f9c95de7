import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RequestTurns } from './request-turns.ts';

describe('turns at the event loop', () => {
  it('let someone who comes late begin before the many that another has sent at once', async () => {
    const turns = new RequestTurns();
    const begun: string[] = [];
    const begin = async (organization: string): Promise<void> => {
      const end = await turns.take(organization);
      begun.push(organization);
      end();
    };
    const flood = Array.from({ length: 100 }, () => begin('flood'));
    await new Promise((resolve) => setImmediate(resolve));
    await begin('calm');
    expect(begun.length).toBeLessThan(10);
    await Promise.all(flood);
    expect(begun).toHaveLength(101);
  });

  it('let the event loop look at its sockets between any two of one organization', async () => {
    const turns = new RequestTurns();
    let loopTurns = 0;
    let isOver = false;
    const count = (): void => {
      loopTurns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    await Promise.all(Array.from({ length: 50 }, () => turns.take('flood')));
    isOver = true;
    expect(loopTurns).toBeGreaterThanOrEqual(49);
  });

  it('do not hold back the few that a browser sends at once', async () => {
    const turns = new RequestTurns();
    await turns.take('slow');
    let begun = 0;
    const page = Array.from({ length: 6 }, async () => {
      (await turns.take('page'))();
      begun += 1;
    });
    for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBe(6);
    await Promise.all(page);
  });

  it('hold back a flood while another has a request under way, and not for ever', async () => {
    const turns = new RequestTurns();
    const endCalm = await turns.take('calm');
    let begun = 0;
    const flood = Array.from({ length: 12 }, async () => {
      const end = await turns.take('flood');
      begun += 1;
      end();
    });
    // Without being held back, all of them would have begun.
    for (let turn = 0; turn < 14; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const begunBeside = begun;
    while (begun < 3) await sleep(1);
    endCalm();
    await Promise.all(flood);
    expect(begunBeside).toBeLessThan(12);
    expect(begun).toBe(12);
  });

  it('hold back a flood the longer, the longer its requests take', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setImmediate', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const countBegunBeside = async (tookMs: number): Promise<number> => {
      const turns = new RequestTurns();
      await turns.take('calm');
      let begun = 0;
      for (let n = 0; n < 300; n += 1) {
        void turns.take('flood').then((end) => {
          begun += 1;
          setTimeout(end, tookMs);
        });
      }
      await vi.advanceTimersByTimeAsync(2_000);
      return begun;
    };
    expect(await countBegunBeside(1)).toBeGreaterThan(150);
    expect(await countBegunBeside(60)).toBeLessThan(25);
  });

  it('let a flood have a few under way beside another, and any number without', async () => {
    for (const [others, most] of [
      [['calm'], 8],
      [[], 30],
    ] as const) {
      const turns = new RequestTurns();
      for (const other of others) (await turns.take(other))();
      const ends: (() => void)[] = [];
      let underWay = 0;
      let mostUnderWay = 0;
      const flood = Array.from({ length: 30 }, async () => {
        const end = await turns.take('flood');
        underWay += 1;
        mostUnderWay = Math.max(mostUnderWay, underWay);
        ends.push(() => {
          underWay -= 1;
          end();
        });
      });
      while (mostUnderWay < most) await sleep(1);
      // As many again as would show whether more begin.
      for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      let isOver = false;
      void Promise.all(flood).then(() => (isOver = true));
      while (!isOver) {
        for (const end of ends.splice(0)) end();
        await sleep(1);
      }
      expect(mostUnderWay).toBe(most);
    }
  });

  it('hold nobody back for the sake of someone who floods too', async () => {
    const turns = new RequestTurns();
    const both = ['a', 'b'].flatMap((organization) => Array.from({ length: 50 }, () => turns.take(organization)));
    // Nothing of it ends, so each has requests under way all the time.
    await expect(Promise.all(both)).resolves.toHaveLength(100);
  });
});
