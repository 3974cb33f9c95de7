import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, linksOf, listDocuments, ROOT, readDocument } from './markdown.ts';

const documents = listDocuments();

describe('the documents', () => {
  it('are all looked at', () => {
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/operations.md']));
    expect(documents.flatMap((path) => linksOf(readDocument(path))).length).toBeGreaterThan(50);
  });

  it.each(documents)('%s links to files and headings that are there', (path) => {
    const broken = linksOf(readDocument(path)).filter((target) => !leadsSomewhere(path, target));
    expect(broken).toEqual([]);
  });

  it('can all be reached from the README', () => {
    const reached = new Set<string>();
    const visit = (path: string) => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const target of linksOf(readDocument(path))) {
        const file = pathOf(path, target);
        if (file.endsWith('.md') && documents.includes(file)) visit(file);
        else for (const each of documents) if (dirname(each) === normalize(file).replace(/\/$/, '')) visit(each);
      }
    };
    visit('README.md');
    expect(documents.filter((path) => !reached.has(path) && !path.startsWith('sdk/'))).toEqual([]);
  });
});

function leadsSomewhere(from: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return true;
  const file = pathOf(from, target);
  const [, anchor] = target.split('#', 2);
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || anchorsOf(readDocument(file)).has(anchor);
}

function pathOf(from: string, target: string): string {
  const [file = ''] = target.split('#', 1);
  return file === '' ? from : normalize(join(dirname(from), file));
}
