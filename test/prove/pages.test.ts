// Pages about promises are promises too: that they name all of them, and tests that exist.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { AREAS } from './areas.ts';

const PAGE_WRITER = new URL('../../scripts/reliability-page.mjs', import.meta.url).href;
const { parseRows } = (await import(PAGE_WRITER)) as { parseRows: (page: string) => string[][] };
const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

describe('docs/reliability.md', () => {
  it('has the figures of every promise, each kept, and of no other (npm run prove -- --write)', () => {
    const rows = parseRows(read('docs/reliability.md'));
    const written = rows.map(([area, name, goal, , kept]) => [area, name, goal, kept]);
    const promised = Object.entries(AREAS).flatMap(([area, promises]) =>
      promises.map(({ name, goal }) => [area, name, goal, 'yes']),
    );
    expect(written.toSorted()).toEqual(promised.toSorted());
  });
});

describe('docs/threat-model.md', () => {
  it('names tests that exist', () => {
    const named = [...read('docs/threat-model.md').matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, path]) => path ?? '');
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url))))).toEqual([]);
  });
});
