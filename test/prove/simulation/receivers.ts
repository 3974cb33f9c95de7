// The receivers of webhooks: some accept, some are slow, refuse, cut the connection after they have taken the message, or never
// answer. They keep account of what they were sent.
import { type AttemptOutcome, type DeliveryAttempt, MAX_ATTEMPTS } from '../../../src/domain/webhook.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

/** A deadly one ends the process that sends to it, as a defect in the sender would. */
export type ReceiverKind = 'healthy' | 'dead' | 'gone' | 'deadly';

/** As webhook-sender.ts says. */
const ATTEMPT_TIMEOUT_MS = 10_000;

interface Sent {
  readonly webhookId: string;
  readonly payload: string;
  count: number;
  isAccepted: boolean;
}

export class Receivers {
  readonly #world: World;
  readonly #kinds: ReadonlyMap<string, ReceiverKind>;
  /** By the id of the message. */
  readonly sent = new Map<string, Sent>();
  readonly #underWay = new Set<{ readonly attempt: DeliveryAttempt; readonly process: SimulatedProcess }>();

  constructor(world: World, kinds: ReadonlyMap<string, ReceiverKind>) {
    this.#world = world;
    this.#kinds = kinds;
  }

  kindOf(webhookId: string): ReceiverKind {
    return this.#kinds.get(webhookId) ?? 'dead';
  }

  /** Sends as one process does; see WebhookSender. */
  async send(process: SimulatedProcess, attempt: DeliveryAttempt): Promise<AttemptOutcome> {
    // Nothing leaves a process that was ended by the message before.
    await process.sleep(0);
    const sending = { attempt, process };
    const sent = this.#begin(sending);
    process.onDeath(() => this.#underWay.delete(sending));
    try {
      if (this.kindOf(attempt.webhookId) === 'deadly') process.kill(`by the message ${attempt.deliveryId}`);
      return await process.call(`send ${attempt.deliveryId} attempt ${attempt.attempt}`, () =>
        this.#receive(process, attempt, sent),
      );
    } finally {
      this.#underWay.delete(sending);
    }
  }

  #begin(sending: { readonly attempt: DeliveryAttempt; readonly process: SimulatedProcess }): Sent {
    const { attempt, process } = sending;
    const { deliveryId, webhookId, payload } = attempt;
    for (const other of this.#underWay) {
      if (other.attempt.deliveryId === deliveryId) this.#world.violate(`message ${deliveryId} is sent twice at once`);
      else if (other.attempt.webhookId === webhookId && other.process === process) {
        this.#world.violate(`${process.name} sends two messages to ${webhookId} at once`);
      }
    }
    this.#underWay.add(sending);
    const sent = this.sent.get(deliveryId) ?? { webhookId, payload, count: 0, isAccepted: false };
    this.sent.set(deliveryId, sent);
    sent.count += 1;
    if (sent.payload !== payload) this.#world.violate(`message ${deliveryId} was sent with another payload`);
    if (sent.count > MAX_ATTEMPTS) this.#world.violate(`message ${deliveryId} was sent ${sent.count} times`);
    return sent;
  }

  async #receive(process: SimulatedProcess, attempt: DeliveryAttempt, sent: Sent): Promise<AttemptOutcome> {
    const kind = this.kindOf(attempt.webhookId);
    if (kind === 'gone') return { kind: 'refused', responseStatus: 410, error: 'answered 410' };
    if (kind === 'dead') return await this.#fail(process, this.#world.random.below(3));
    const trouble = this.#world.areFaultsOn ? this.#world.random.below(8) : 7;
    if (trouble < 3) return await this.#fail(process, trouble);
    sent.isAccepted = true;
    if (trouble === 3) return { kind: 'unreachable', error: 'the connection was cut' };
    if (trouble === 4) await process.sleep(this.#world.random.below(ATTEMPT_TIMEOUT_MS));
    return { kind: 'accepted', responseStatus: 200 };
  }

  async #fail(process: SimulatedProcess, how: number): Promise<AttemptOutcome> {
    if (how === 0) return { kind: 'refused', responseStatus: 500, error: 'answered 500' };
    if (how === 1) return { kind: 'unreachable', error: 'the connection was refused' };
    await process.sleep(ATTEMPT_TIMEOUT_MS);
    return { kind: 'unreachable', error: 'no answer within 10 s' };
  }
}
