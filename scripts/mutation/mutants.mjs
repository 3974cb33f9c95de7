// Every mutant of an area with a number, and with a name that stays the same when lines move.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listCodeEdits } from './code-mutants.mjs';
import { findSqlFunction, listSqlEdits } from './sql-mutants.mjs';

/**
 * @typedef {import('./code-mutants.mjs').CodeEdit & {
 *   id: number, path: string, line: number, original: string, name: string, definition?: string, function?: string
 * }} Mutant The name is the trimmed line and the change; `definition` is the whole function for a mutant of SQL in a migration.
 */

const MIGRATIONS = 'src/postgres/migrations';

/** @param {string} root @param {Pick<import('./areas.mjs').Area, 'files' | 'functions' | 'tables'>} area @returns {readonly Mutant[]} */
export function listMutants(root, { files, functions = [], tables = [] }) {
  const drafts = [
    ...files.flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return listCodeEdits(path, text, tables).map((edit) => describe(edit, path, text));
    }),
    ...functions.flatMap((name) => listFunctionMutants(root, name)),
  ];
  const seen = new Map();
  return drafts.map((draft, id) => {
    const key = `${draft.path} ${draft.name}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return { ...draft, id, name: count === 1 ? draft.name : `${draft.name} (${count})` };
  });
}

function listFunctionMutants(root, name) {
  const paths = readdirSync(join(root, MIGRATIONS))
    .sort()
    .map((file) => join(MIGRATIONS, file));
  const texts = paths.map((path) => readFileSync(join(root, path), 'utf8'));
  const { source, start, bodyStart, bodyEnd, end } = findSqlFunction(name, texts);
  const [path, text] = [paths[source], texts[source]];
  return listSqlEdits(text.slice(bodyStart, bodyEnd)).map((edit) => {
    const moved = { ...edit, start: edit.start + bodyStart, end: edit.end + bodyStart };
    const changed = text.slice(start, moved.start) + edit.replacement + text.slice(moved.end, end);
    const definition = changed.replace(/^CREATE (OR REPLACE )?/, 'CREATE OR REPLACE ');
    return { ...describe(moved, path, text), definition, function: name };
  });
}

function describe(edit, path, text) {
  const lineStart = text.lastIndexOf('\n', edit.start - 1) + 1;
  const lineEnd = text.indexOf('\n', edit.start);
  const line = text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd).trim();
  const original = text.slice(edit.start, edit.end);
  const change = `${oneLine(original)} → ${oneLine(edit.replacement) || 'nothing'}`;
  return {
    ...edit,
    path,
    line: text.slice(0, edit.start).split('\n').length,
    original,
    name: `${line} | ${change}`,
  };
}

function oneLine(text) {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= 100 ? flat : `${flat.slice(0, 60)} … ${flat.slice(-38)}`;
}
