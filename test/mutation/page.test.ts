import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

function rowsBetween(page: string, mark: string): readonly (readonly string[])[] {
  const [, text = ''] = new RegExp(`<!-- ${mark} -->\n([\\s\\S]*?)<!-- end of ${mark} -->`).exec(page) ?? [];
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '));
}

describe('docs/reliability.md', () => {
  const page = read('docs/reliability.md');

  it('has at least 85 % of the mutants of an area killed (npm run mutate -- --write)', () => {
    const scores = rowsBetween(page, 'mutants').filter(([, file]) => file === '**all**');
    expect(scores.map(([area]) => area).sort()).toEqual(['admission', 'domain', 'publishing', 'webhooks']);
    expect(scores.filter(([, , , , share = '']) => Number.parseFloat(share) < 85)).toEqual([]);
  });

  it('says of every survivor why no test fails', () => {
    const survivors = rowsBetween(page, 'survivors');
    expect(survivors.length).toBeGreaterThan(0);
    expect(survivors.filter((cells) => cells.length !== 5 || cells[4]?.trim() === '')).toEqual([]);
  });

  it('has the reasons that stand in survivors.json', () => {
    const reasons = Object.values<Record<string, string>>(JSON.parse(read('test/mutation/survivors.json')));
    const known = new Set(reasons.flatMap((byName) => Object.values(byName)));
    expect(rowsBetween(page, 'survivors').filter(([, , , , reason = '']) => !known.has(reason))).toEqual([]);
  });
});
