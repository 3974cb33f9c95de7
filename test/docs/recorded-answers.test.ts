import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ERROR_CODES } from '../../src/domain/error.ts';
import type { RecordedAnswers } from '../../src/http/recorded-answers.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { openWebhookReceiver } from '../support/webhook-receiver.ts';
import { type DemoWorld, openDemoWorld } from './demo-world.ts';
import { recordFailures } from './record-failures.ts';
import { recordSuccesses } from './record-successes.ts';
import { Recorder } from './recording.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const COMMITTED = new URL('../../src/http/recorded-answers.json', import.meta.url);

let world: DemoWorld;
beforeAll(async () => {
  world = await openDemoWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

describe('the examples of the reference', () => {
  it('are what a service over the demo data answers (UPDATE=1 npm test -- recorded-answers writes them)', async () => {
    await using receiver = await openWebhookReceiver();
    const recorder = new Recorder({ origin: world.service.url, receiver: receiver.url });
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    const successes = await recordSuccesses(world, { recorder, key, receiver });
    const recorded: RecordedAnswers = { successes, ...(await recordFailures(world.service, recorder)) };
    if (process.env.UPDATE === '1') await writeFile(COMMITTED, `${JSON.stringify(recorded, null, 2)}\n`);
    expect(recorded).toEqual(JSON.parse(await readFile(COMMITTED, 'utf8')));
    expect(Object.keys(successes).sort()).toEqual(ENDPOINTS.map(({ operationId }) => operationId).sort());
    expect(Object.keys(recorded.failures)).toEqual([...ERROR_CODES]);
  });
});
