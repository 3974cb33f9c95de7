// The runner behind `npm run mutate`, on code whose mutants are known one by one.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const load = async (name: string) => await import(new URL(`../../scripts/mutation/${name}.mjs`, import.meta.url).href);
const { listCodeEdits, listMutants, listSqlEdits } = {
  ...(await load('code-mutants')),
  ...(await load('mutants')),
  ...(await load('sql-mutants')),
} as {
  listCodeEdits: (path: string, text: string) => readonly Edit[];
  listMutants: (root: string, area: { readonly files: readonly string[] }) => readonly { readonly name: string }[];
  listSqlEdits: (text: string) => readonly Edit[];
};

/** In a process of its own: one vitest within another would share its globals. */
async function tryFixture(name: string): Promise<Readonly<Record<string, string>>> {
  const script = `
    import { listMutants } from './scripts/mutation/mutants.mjs';
    import { tryMutants } from './scripts/mutation/session.mjs';
    const root = process.cwd();
    const mutants = listMutants(root, { files: ['test/mutation/fixture/${name}.ts'] });
    const tests = ['test/mutation/fixture/${name}.test.ts'];
    const { fates, broken } = await tryMutants({ root, setup: [], tests, mutants, hangMs: 500 });
    console.log(JSON.stringify({ broken, fates: mutants.map(({ id, name }) => [name, fates.get(id)]) }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    env: { PATH: process.env.PATH },
  });
  const { broken, fates } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(broken).toEqual([]);
  return Object.fromEntries(fates);
}

describe('npm run mutate', () => {
  it('tells what is killed, by failures and by loops without end, what survives and what no test reaches', async () => {
    expect(await tryFixture('counting')).toEqual({
      // Computed when the file is loaded. Two at a time are ten as well.
      'const STEP = 1; | 1 → 2': 'survived',
      'let count = 0; | 0 → 1': 'survived',
      'while (count < limit) count += STEP; | count < limit → false': 'killed',
      'while (count < limit) count += STEP; | < → <=': 'killed',
      'while (count < limit) count += STEP; | < → >=': 'killed',
      // Both would count for ever.
      'while (count < limit) count += STEP; | count += STEP → void 0': 'killed',
      'while (count < limit) count += STEP; | += → -=': 'killed',
      'return count; | count → undefined': 'killed',
      'const flag = { isDone: false }; | false → true': 'survived',
      // These hang where only the end of the worker helps.
      'setDone(flag); | setDone(flag) → void 0': 'killed',
      'flag.isDone = true; | flag.isDone = true → void 0': 'killed',
      'flag.isDone = true; | true → false': 'killed',
      'spin(flag); | spin(flag) → void 0': 'survived',
      'return 7; | 7 → 8': 'killed',
      "return count === 10 ? 'ten' : 'many'; | count === 10 ? 'ten' : 'many' → undefined": 'killed',
      "return count === 10 ? 'ten' : 'many'; | count === 10 → true": 'survived',
      "return count === 10 ? 'ten' : 'many'; | count === 10 → false": 'killed',
      "return count === 10 ? 'ten' : 'many'; | === → !==": 'killed',
      "return count === 10 ? 'ten' : 'many'; | 10 → 11": 'killed',
      "return count === 10 ? 'ten' : 'many'; | 'ten' → ''": 'killed',
      "return count === 10 ? 'ten' : 'many'; | 'many' → ''": 'unreached',
    });
  });

  it('does not blame a mutant for what another has left behind', async () => {
    expect(await tryFixture('guest-list')).toEqual({
      'return this.#names.length; | this.#names.length → undefined': 'killed',
      'this.#names.push(name); | this.#names.push(name) → void 0': 'killed',
      'this.#names.pop(); | this.#names.pop() → void 0': 'killed',
    });
  });
});

describe('the mutants of SQL', () => {
  function mutate(sql: string): readonly string[] {
    return listSqlEdits(sql).map(({ start, end, replacement }) => sql.slice(0, start) + replacement + sql.slice(end));
  }

  it('leave out a condition each, turn comparisons, and take away locks', () => {
    expect(mutate('SELECT a FROM t WHERE a >= 1 AND b = $1 ORDER BY a FOR UPDATE SKIP LOCKED')).toEqual([
      'SELECT a FROM t WHERE (true OR (a >= 1)) AND b = $1 ORDER BY a FOR UPDATE SKIP LOCKED',
      'SELECT a FROM t WHERE a > 1 AND b = $1 ORDER BY a FOR UPDATE SKIP LOCKED',
      'SELECT a FROM t WHERE a >= 2 AND b = $1 ORDER BY a FOR UPDATE SKIP LOCKED',
      'SELECT a FROM t WHERE a >= 1 AND (true OR (b = $1)) ORDER BY a FOR UPDATE SKIP LOCKED',
      'SELECT a FROM t WHERE a >= 1 AND b <> $1 ORDER BY a FOR UPDATE SKIP LOCKED',
      'SELECT a FROM t WHERE a >= 1 AND b = $1 ORDER BY a ',
      'SELECT a FROM t WHERE a >= 1 AND b = $1 ORDER BY a FOR UPDATE ',
    ]);
  });

  it('know an assignment from a comparison', () => {
    expect(mutate(`UPDATE t SET a = b + 1 WHERE c = 'x'`)).toEqual([
      `UPDATE t SET a = b - 1 WHERE c = 'x'`,
      `UPDATE t SET a = b + 2 WHERE c = 'x'`,
      `UPDATE t SET a = b + 1 WHERE (true OR (c = 'x'))`,
      `UPDATE t SET a = b + 1 WHERE c <> 'x'`,
      `UPDATE t SET a = b + 1 WHERE c = 'mutant'`,
    ]);
  });
});

describe('the mutants of code', () => {
  function mutate(code: string): readonly string[] {
    return listCodeEdits('a.ts', code).map(
      ({ start, end, replacement }) => code.slice(0, start) + replacement + code.slice(end),
    );
  }

  it('leave types, imports and texts for developers alone', () => {
    const code = [
      "import { a } from './a.ts';",
      "type Kind = 'x' | 'y';",
      "const kind: Kind = b as 'x';",
      "assert(ok, 'never');",
      "if (bad) throw new Error('never');",
      "log.warn({ a: 1 }, 'text');",
    ];
    expect(mutate(code.join('\n')).map((mutated) => mutated.split('\n').find((line, i) => line !== code[i]))).toEqual([
      'void 0;',
      "if (true) throw new Error('never');",
      "if (false) throw new Error('never');",
      'if (bad) ',
      'void 0;',
    ]);
  });

  it('change the condition, the operator and what is returned, each on its own', () => {
    expect(mutate('const f = (a) => a?.b.some((c) => c > 0) ?? g(a);')).toEqual([
      'const f = (a) => undefined;',
      'const f = (a) => a.b.some((c) => c > 0) ?? g(a);',
      'const f = (a) => a?.b.every((c) => c > 0) ?? g(a);',
      'const f = (a) => a?.b.some((c) => undefined) ?? g(a);',
      'const f = (a) => a?.b.some((c) => c >= 0) ?? g(a);',
      'const f = (a) => a?.b.some((c) => c <= 0) ?? g(a);',
      'const f = (a) => a?.b.some((c) => c > 1) ?? g(a);',
      'const f = (a) => a?.b.some((c) => c > 0) && g(a);',
    ]);
  });

  it('have names of their own that no line number is part of', () => {
    const mutants = listMutants(ROOT, { files: ['src/domain/search-plan.ts'] });
    expect(mutants.length).toBeGreaterThan(50);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });
});
