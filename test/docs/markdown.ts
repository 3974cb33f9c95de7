// The documents of the repository, and what can be read from them.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Paths of all documents, those that are not committed yet included. */
export function listDocuments(): readonly string[] {
  const options = ['ls-files', '--cached', '--others', '--exclude-standard', '--', '*.md'];
  return execFileSync('git', options, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
}

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

/** Fenced blocks; those inside a list are moved to the left. */
export function codeBlocks(document: string): readonly CodeBlock[] {
  return [...document.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map(
    ({ 1: indent = '', 2: language = '', 3: text = '', index }) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: document.slice(0, index).split('\n').length,
    }),
  );
}

/** Targets of links and pictures outside of code. */
export function linksOf(document: string): readonly string[] {
  return [...withoutCode(document).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
}

/** Anchors as GitHub makes them from headings. */
export function anchorsOf(document: string): ReadonlySet<string> {
  const headings = [...document.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function withoutCode(document: string): string {
  return document.replaceAll(/^ *```.*?^ *```$/gms, '').replaceAll(/`[^`\n]*`/g, 'code');
}
