import { expect, test } from 'vitest';
import { ClientDeparture } from './client-departure.ts';

test('a client that leaves is told of once to those who listen, and to nobody else', () => {
  const departure = new ClientDeparture();
  const heard: string[] = [];
  const stay = () => heard.push('stayed');
  const go = () => heard.push('went');
  departure.addEventListener('abort', stay);
  departure.addEventListener('abort', go);
  departure.removeEventListener('abort', go);
  expect([departure.aborted, departure.reason]).toEqual([false, undefined]);

  departure.leave();
  departure.leave();
  expect(heard).toEqual(['stayed']);
  expect(departure.aborted).toBe(true);
  expect(departure.reason?.message).toBe('the client has left');
});
