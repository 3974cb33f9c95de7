import { expect, it } from 'vitest';
import { PageMemory } from './page-memory.ts';

const KB = 1024;
const bare = () => ({ before: '', after: '' });

function pageOf(length: number, byte = 'x') {
  return { totalCount: 7, dataJson: Buffer.alloc(length, byte) };
}

it('puts the page into its frame', () => {
  const frame = (totalCount: number) => ({ before: '{"é":', after: `,"total":${totalCount}}` });
  const { json, totalCount } = new PageMemory().copy(pageOf(3), frame);
  expect(json.toString()).toBe('{"é":xxx,"total":7}');
  expect(totalCount).toBe(7);
});

it.each([0, 1, 64 * KB, 64 * KB + 1, 100 * KB, 1000 * KB, 5000 * KB])('holds a page of %i bytes', (length) => {
  expect(new PageMemory().copy(pageOf(length), bare).json.equals(Buffer.alloc(length, 'x'))).toBe(true);
});

it('uses memory again that was released, for pages that fit, and once for each time that it was', () => {
  const memory = new PageMemory();
  const first = memory.copy(pageOf(10), bare);
  const other = memory.copy(pageOf(10, 'y'), bare);
  expect(other.json.buffer).not.toBe(first.json.buffer);
  first.release();
  first.release();
  expect(memory.copy(pageOf(65 * KB), bare).json.buffer).not.toBe(first.json.buffer);
  expect(memory.copy(pageOf(64 * KB), bare).json.buffer).toBe(first.json.buffer);
  expect(memory.copy(pageOf(64 * KB), bare).json.buffer).not.toBe(first.json.buffer);
  expect(other.json.toString()).toBe('y'.repeat(10));
});

it('keeps no more than a few megabytes', () => {
  const memory = new PageMemory();
  const pages = Array.from({ length: 40 }, () => memory.copy(pageOf(1000 * KB), bare));
  for (const { release } of pages) release();
  const before = new Set(pages.map(({ json }) => json.buffer));
  const again = Array.from({ length: 40 }, () => memory.copy(pageOf(1000 * KB), bare));
  expect(again.filter(({ json }) => before.has(json.buffer))).toHaveLength(16);
});
