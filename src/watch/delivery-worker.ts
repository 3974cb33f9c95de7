// Sends what waits in the queue of deliveries. Every server runs one. Messages to one webhook go one after the other, those
// to different webhooks side by side, so a slow or dead receiver delays nobody but itself.
import { contain } from '../domain/containment.ts';
import { type AttemptOutcome, type DeliveryAttempt, type DeliveryQueue, planRetry } from '../domain/webhook.ts';
import { JobLoop } from './job-loop.ts';
import type { WebhookSender } from './webhook-sender.ts';

export interface DeliveryWorkerOptions {
  readonly queue: DeliveryQueue;
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly now: () => Date;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** `about` names what the failure concerns. */
  readonly onError: (error: unknown, about?: Readonly<Record<string, unknown>>) => void;
}

/** Attempts that one server has under way. Each is a socket that mostly waits. */
const MAX_UNDER_WAY = 200;
const LOOK_EVERY_MS = 1_000;

export class DeliveryWorker implements AsyncDisposable {
  readonly #options: DeliveryWorkerOptions;
  /** By webhook. */
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #loop: JobLoop;

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
    this.#loop = new JobLoop({ work: () => this.#claim(), everyMs: LOOK_EVERY_MS, onError: options.onError });
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Takes on nothing more. */
  stop(): void {
    this.#loop.stop();
  }

  /** Takes on nothing more, and waits for the attempts under way: each has a time limit. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    await Promise.all(this.#underWay.values());
  }

  async #claim(): Promise<void> {
    const limit = MAX_UNDER_WAY - this.#underWay.size;
    if (limit === 0) return;
    const attempts = await this.#options.queue.claim({ limit, busyWebhookIds: [...this.#underWay.keys()] });
    for (const attempt of attempts) this.#start(attempt);
  }

  #start(attempt: DeliveryAttempt): void {
    const { deliveryId, webhookId, organizationId } = attempt;
    const onError = (error: unknown) => this.#options.onError(error, { deliveryId, webhookId, organizationId });
    const done = contain(() => this.#attempt(attempt, onError), onError).then(() => {
      this.#underWay.delete(webhookId);
      this.wake();
    });
    this.#underWay.set(webhookId, done);
  }

  async #attempt(attempt: DeliveryAttempt, onError: (error: unknown) => void): Promise<void> {
    const { sender, queue, now, random } = this.#options;
    // The sender tells of every failure that it knows by its outcome; any other counts as an attempt too.
    let outcome: AttemptOutcome = UNFORESEEN;
    await contain(async () => {
      outcome = await sender.send(attempt, now());
    }, onError);
    await queue.settle(attempt, { outcome, retryAfterMs: planRetry(attempt, { outcome, random: random() }) });
  }
}

/** For the tenant; the operator finds the cause in the log. */
const UNFORESEEN: AttemptOutcome = { kind: 'unreachable', error: 'the message could not be sent' };
