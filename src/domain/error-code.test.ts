import { expect, it } from 'vitest';
import { errorCode, errorMessage, ifMissing } from './error-code.ts';

it('knows the code of errors of the system and of the database, and of nothing else', () => {
  expect(errorCode(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe('ENOENT');
  expect(errorCode(Object.assign(new Error('x'), { code: 7 }))).toBeUndefined();
  expect(errorCode(new Error('x'))).toBeUndefined();
  expect(errorCode({ code: 'ENOENT' })).toBeUndefined();
  expect(errorCode(undefined)).toBeUndefined();
});

it('has a message of whatever was thrown', () => {
  expect([errorMessage(new Error('why')), errorMessage('text'), errorMessage(undefined)]).toEqual([
    'why',
    'text',
    'undefined',
  ]);
});

it('stands in for a missing file, and throws every other error on', () => {
  expect(ifMissing('none')(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe('none');
  const denied = Object.assign(new Error('x'), { code: 'EACCES' });
  expect(() => ifMissing('none')(denied)).toThrow(denied);
});
