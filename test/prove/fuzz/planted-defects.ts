// Defects as they happen to services, planted between the fuzzer and the real one: a fuzzer that does not find them proves
// nothing. Each is small: most requests pass it unharmed.
import type { FuzzAnswer } from './answer-check.ts';
import type { FuzzRequest, Send } from './fuzz-world.ts';

export interface PlantedDefect {
  readonly name: string;
  readonly plant: (send: Send) => Send;
}

export const PLANTED_DEFECTS: readonly PlantedDefect[] = [
  onRequest('a limit above the maximum is cut down to it', (request) =>
    rewriteTarget(request, (target) =>
      target.replace(/([?&]limit=)([0-9]+)/, (_all, name, n) => name + Math.min(n, 1000)),
    ),
  ),
  onRequest('unknown parameters are ignored', (request) =>
    rewriteTarget(request, (target) => target.replace(/([?&])zzz=1/, '$1')),
  ),
  onRequest('of a parameter that is given twice the last one counts', (request) =>
    rewriteTarget(request, (target) => target.replace(/([?&])type=[A-Za-z]+&(?=type=)/, '$1')),
  ),
  onRequest('numbers with a leading zero are read', (request) =>
    rewriteTarget(request, (target) => target.replace(/([?&][a-z_]+=)0+(?=[1-9][0-9]*(&|$))/g, '$1')),
  ),
  onAnswer('a search for an emoji is a server error', (answer, { target }) =>
    target.startsWith('/v1/search/keywords?') && /[?&]query=[^&]*%F0%9F/.test(target) ? serverError(answer) : answer,
  ),
  onAnswer('the longest allowed text is refused', (answer, { target }) =>
    target.startsWith('/v1/search/suggestions') && lengthOfQuery(target) === 256 ? refusal(answer) : answer,
  ),
  onAnswer('an element has a field that is not documented', (answer, { target }) =>
    /^\/v1\/trends\/new/.test(target)
      ? rewriteJson(answer, (text) => text.replace('{"query":', '{"internal_id":1,"query":'))
      : answer,
  ),
  onAnswer('a count is a text', (answer, { target }) =>
    /^\/v1\/search\/history/.test(target)
      ? rewriteJson(answer, (text) => text.replace(/"total_count":([0-9]+)/, '"total_count":"$1"'))
      : answer,
  ),
  onAnswer('a refused search says nothing of the limit', (answer) =>
    answer.status === 429 ? { ...answer, headers: without(answer.headers, 'retry-after') } : answer,
  ),
  onAnswer('a failure sets data too', (answer) =>
    answer.status === 403 ? rewriteJson(answer, (text) => text.replace('"data":null', '"data":[]')) : answer,
  ),
];

function onRequest(name: string, change: (request: FuzzRequest) => FuzzRequest): PlantedDefect {
  return { name, plant: (send) => (request) => send(change(request)) };
}

function onAnswer(name: string, change: (answer: FuzzAnswer, request: FuzzRequest) => FuzzAnswer): PlantedDefect {
  return { name, plant: (send) => async (request) => change(await send(request), request) };
}

function rewriteTarget(request: FuzzRequest, change: (target: string) => string): FuzzRequest {
  return { ...request, target: change(request.target) };
}

function rewriteJson(answer: FuzzAnswer, change: (text: string) => string): FuzzAnswer {
  return { ...answer, body: Buffer.from(change(answer.body.toString('utf8'))) };
}

function without(headers: FuzzAnswer['headers'], name: string): FuzzAnswer['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
}

function lengthOfQuery(target: string): number {
  const raw = /[?&]query=([^&]*)/.exec(target)?.[1] ?? '';
  return [...(new URLSearchParams(`query=${raw}`).get('query') ?? '').trim()].length;
}

function serverError(answer: FuzzAnswer): FuzzAnswer {
  const error = { code: 'INTERNAL_SERVER_ERROR', message: 'The service failed to answer this request.' };
  return { ...answer, status: 500, body: Buffer.from(JSON.stringify({ data: null, error })) };
}

function refusal(answer: FuzzAnswer): FuzzAnswer {
  const error = { code: 'INVALID_PARAMETERS', message: "Parameter 'query' is too long." };
  return { ...answer, status: 400, body: Buffer.from(JSON.stringify({ data: null, error })) };
}
