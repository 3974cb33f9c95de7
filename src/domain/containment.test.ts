import { describe, expect, it } from 'vitest';
import { contain } from './containment.ts';

describe('contained work', () => {
  it('is done and waited for', async () => {
    const steps: string[] = [];
    await contain(
      async () => {
        await Promise.resolve();
        steps.push('done');
      },
      () => steps.push('failed'),
    );
    expect(steps).toEqual(['done']);
  });

  it('tells what it throws, at once or later, and throws nothing itself', async () => {
    const errors: unknown[] = [];
    const [now, later] = [new Error('now'), new Error('later')];
    await contain(
      () => {
        throw now;
      },
      (error) => errors.push(error),
    );
    await contain(
      () => Promise.reject(later),
      (error) => errors.push(error),
    );
    expect(errors).toEqual([now, later]);
  });

  it('throws nothing either when nobody can be told', async () => {
    const deaf = () => {
      throw new Error('deaf');
    };
    await expect(contain(() => Promise.reject(new Error('work')), deaf)).resolves.toBeUndefined();
  });
});
