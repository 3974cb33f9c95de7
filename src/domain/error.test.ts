import { describe, expect, it } from 'vitest';
import { invalidParameter, NotReadyError, OperatorError, RequestError } from './error.ts';
import { StoreOverloadError } from './store.ts';

describe('a failure that someone can act on', () => {
  it('says to callers what was wrong, what to do and when to come again', () => {
    const error = new RequestError('RATE_LIMIT_EXCEEDED', 'Too many.', 'Wait.', { retryAfterSeconds: 7 });
    expect({ ...error, message: error.message }).toEqual({
      name: 'RequestError',
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'Too many.',
      hint: 'Wait.',
      retryAfterSeconds: 7,
    });
    expect(new RequestError('NOT_FOUND', 'Gone.')).toMatchObject({ hint: undefined, retryAfterSeconds: undefined });
  });

  it('names the parameter that is at fault, for whoever calls it otherwise', () => {
    const parameter = { name: 'min_rank', fault: 'must be a number.', example: '5' };
    expect(invalidParameter(parameter)).toMatchObject({
      code: 'INVALID_PARAMETERS',
      message: "Parameter 'min_rank' must be a number.",
      hint: 'Use for example min_rank=5.',
      parameter,
    });
    expect(invalidParameter({ name: 'brand', fault: 'is blank.' }, 'Fill it.')).toMatchObject({ hint: 'Fill it.' });
    expect(new RequestError('NOT_FOUND', 'Gone.').parameter).toBeUndefined();
  });

  it('says to operators what to change, and keeps the cause if there is one', () => {
    const cause = new Error('disk full');
    const error = new OperatorError('Cannot write.', { hint: 'Make room.', cause });
    expect([error.name, error.message, error.hint, error.cause]).toEqual([
      'OperatorError',
      'Cannot write.',
      'Make room.',
      cause,
    ]);
    const plain = new OperatorError('Cannot write.');
    expect(plain.hint).toBeUndefined();
    expect('cause' in plain).toBe(false);
  });

  it('says why a server is not ready, and keeps the cause', () => {
    const cause = new Error('disk full');
    const { name, message, cause: kept } = new NotReadyError('No writes.', { cause });
    expect([name, message, kept]).toEqual(['NotReadyError', 'No writes.', cause]);
  });

  it('of a store with too much to do is one of the service, for now', () => {
    const error = new StoreOverloadError(3);
    expect(error).toBeInstanceOf(RequestError);
    expect({ ...error, message: error.message }).toEqual({
      name: 'StoreOverloadError',
      code: 'SERVICE_UNAVAILABLE',
      message: 'The service has too many searches to answer this one now.',
      hint: 'Try again shortly.',
      retryAfterSeconds: 3,
    });
  });
});
