// Sends drafts down all lanes at once and collects what is wrong with the answers.
import fc from 'fast-check';
import { AnswerCheck, type Fault, type FaultKind } from './answer-check.ts';
import type { Operation } from './api-document.ts';
import { brokenDrafts } from './broken-drafts.ts';
import type { Draft, Facts } from './draft.ts';
import type { FuzzRequest, FuzzWorld, Lane, Send } from './fuzz-world.ts';
import { validDrafts } from './valid-drafts.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  readonly operations: readonly Operation[];
  /** How requests are sent, if not as they are: where a defect is planted. */
  readonly send?: Send;
  /** Ends the run at the first fault. */
  readonly stopAtFault?: boolean;
  readonly report?: (text: string) => void;
}

export interface FuzzResult {
  readonly valid: number;
  readonly broken: number;
  /** Answers to valid requests with a list that is not empty. */
  readonly filled: number;
  /** How many different rules were broken. */
  readonly rules: number;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** Some faults with the request that brought them about, one for each operation, rule and kind. */
  readonly examples: readonly string[];
}

const CHUNK = 400;
const LIST_START = Buffer.from('{"data":[{');

export async function runFuzz(world: FuzzWorld, options: FuzzOptions): Promise<FuzzResult> {
  const check = new AnswerCheck();
  const send = options.send ?? world.send;
  const faults: Partial<Record<FaultKind, number>> = {};
  const examples = new Map<string, string>();
  const rules = new Set<string>();
  const sent = { valid: 0, broken: 0, filled: 0 };
  const arbitraries = makeArbitraries(options.operations, world.facts);

  const runOne = async (lane: Lane, draft: Draft) => {
    const request = await lane.prepare(draft);
    if (draft.violated === undefined) sent.valid += 1;
    else sent.broken += 1;
    if (draft.violated !== undefined) rules.add(`${draft.operation.id} ${draft.violated}`);
    const { faults: found, isFilled } = await tryRequest({ draft, request, send, check });
    if (isFilled) sent.filled += 1;
    for (const fault of found) {
      faults[fault.kind] = (faults[fault.kind] ?? 0) + 1;
      const name = [draft.operation.id, draft.violated ?? 'valid', fault.kind].join(', ');
      if (!examples.has(name)) examples.set(name, `${name}: ${fault.detail}; ${describe(request)}`);
    }
  };
  const isOver = () => options.stopAtFault === true && examples.size > 0;

  for (let first = 0; first < options.requests && !isOver(); first += CHUNK) {
    const count = Math.min(CHUNK, options.requests - first);
    const drafts = sampleDrafts(arbitraries, { count, seed: options.seed + first });
    await Promise.all(
      world.lanes.map(async (lane) => {
        for (let draft = drafts.pop(); draft !== undefined && !isOver(); draft = drafts.pop())
          await runOne(lane, draft);
      }),
    );
    if (first % (CHUNK * 10) === 0) options.report?.(`${first + count} of ${options.requests} requests`);
  }
  return { ...sent, rules: rules.size, faults, examples: [...examples.values()] };
}

interface Arbitraries {
  readonly valid: readonly fc.Arbitrary<Draft>[];
  readonly broken: readonly fc.Arbitrary<Draft>[];
}

function makeArbitraries(operations: readonly Operation[], facts: Facts): Arbitraries {
  return {
    valid: operations.map((operation) => validDrafts(operation, facts)),
    broken: operations.flatMap((operation) => brokenDrafts(operation, facts)),
  };
}

/** Half of them valid, over all operations alike, and half broken, over all rules alike. */
function sampleDrafts({ valid, broken }: Arbitraries, { count, seed }: { count: number; seed: number }): Draft[] {
  const half = Math.floor(count / 2);
  return [
    ...fc.sample(fc.oneof(...valid), { numRuns: count - half, seed }),
    ...fc.sample(fc.oneof(...broken), { numRuns: half, seed }),
  ];
}

async function tryRequest({
  draft,
  request,
  send,
  check,
}: {
  readonly draft: Draft;
  readonly request: FuzzRequest;
  readonly send: Send;
  readonly check: AnswerCheck;
}): Promise<{ readonly faults: readonly Fault[]; readonly isFilled: boolean }> {
  try {
    const answer = await send(request);
    const isFilled = answer.body.subarray(0, LIST_START.length).equals(LIST_START);
    return { faults: check.findFaults(draft, answer), isFilled };
  } catch (error) {
    return { faults: [{ kind: 'no answer', detail: String(error) }], isFilled: false };
  }
}

function describe({ method, target, body }: FuzzRequest): string {
  const text = body === undefined ? '' : ` ${Buffer.from(body).subarray(0, 200).toString('utf8')}`;
  return `${method} ${target.slice(0, 300)}${text}`;
}
