// Sends what waits in the queue of deliveries. Every server runs one. Messages to one webhook go one after the other, those
// to different webhooks side by side, so a slow or dead receiver delays nobody but itself.
import { contain } from '../domain/containment.ts';
import {
  type AttemptOutcome,
  DELIVERY_KINDS,
  type DeliveryAttempt,
  type DeliveryKind,
  type DeliveryQueue,
  type MessageSender,
  planRetry,
} from '../domain/webhook.ts';
import { JobLoop } from './job-loop.ts';

export interface DeliveryWorkerOptions {
  readonly queue: DeliveryQueue;
  readonly sender: MessageSender;
  /** What this worker sends; all by default. */
  readonly kinds?: readonly DeliveryKind[];
  /** Attempts that it has under way. */
  readonly maxUnderWay?: number;
  readonly onOutcome?: (attempt: DeliveryAttempt, outcome: AttemptOutcome) => void;
  readonly now: () => Date;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** `about` names what the failure concerns. */
  readonly onError: (error: unknown, about?: Readonly<Record<string, unknown>>) => void;
}

/** Attempts that one server has under way. Each is a socket that mostly waits. */
const MAX_UNDER_WAY = 200;
const LOOK_EVERY_MS = 1_000;

/** When it is closed it takes on nothing more, and waits for the attempts under way: each has a time limit. */
export function startDeliveryWorker(options: DeliveryWorkerOptions): JobLoop {
  const { kinds = DELIVERY_KINDS, maxUnderWay = MAX_UNDER_WAY } = options;
  /** By webhook. */
  const underWay = new Map<string, Promise<void>>();
  const claim = async (loop: JobLoop): Promise<void> => {
    const limit = maxUnderWay - underWay.size;
    if (limit === 0) return;
    for (const attempt of await options.queue.claim({ limit, busyWebhookIds: [...underWay.keys()], kinds })) {
      const { deliveryId, webhookId, organizationId } = attempt;
      const onError = (error: unknown) => options.onError(error, { deliveryId, webhookId, organizationId });
      const done = contain(() => send(attempt, { ...options, onError }), onError).then(() => {
        underWay.delete(webhookId);
        loop.wake();
      });
      underWay.set(webhookId, done);
    }
  };
  const drain = () => Promise.all(underWay.values());
  return new JobLoop({ work: claim, everyMs: LOOK_EVERY_MS, onError: options.onError, drain });
}

async function send(attempt: DeliveryAttempt, options: DeliveryWorkerOptions): Promise<void> {
  const { sender, queue, now, random, onError } = options;
  // The sender tells of every failure that it knows by its outcome; any other counts as an attempt too.
  let outcome: AttemptOutcome = UNFORESEEN;
  await contain(async () => {
    outcome = await sender.send(attempt, now());
  }, onError);
  options.onOutcome?.(attempt, outcome);
  await queue.settle(attempt, { outcome, retryAfterMs: planRetry(attempt, { outcome, random: random() }) });
}

/** For the tenant; the operator finds the cause in the log. */
const UNFORESEEN: AttemptOutcome = { kind: 'unreachable', error: 'the message could not be sent' };
