// npm run mutate [-- --only AREA[,AREA…]] [--files PART[,PART…]] [--minutes N] [--write]: changes the code in small ways, one at a time, and runs the
// tests that reach the change. Prints what was killed and what survived; exits with 1 when fewer than 85 % of an area's mutants are
// killed, or when a survivor has no reason in test/mutation/survivors.json. --write puts the table and the survivors into docs/reliability.md.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listAreas } from './mutation/areas.mjs';
import { listMutants } from './mutation/mutants.mjs';
import { writeMutationPage } from './mutation/page.mjs';
import { tryMutants } from './mutation/session.mjs';

const MIN_KILLED = 0.85;
const MEMORY_FOLDER = '/dev/shm';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    files: { type: 'string', default: '' },
    minutes: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const [only, parts] = [values.only, values.files].map((text) => text.split(',').filter((part) => part !== ''));
if (values.write && values.minutes) throw new Error('--write wants every mutant of a file tried, without --minutes.');
// In memory, where there is such a folder: the tests' PostgreSQL forces every commit to disk, which takes most of their time.
if (existsSync(MEMORY_FOLDER)) process.env.TMPDIR = MEMORY_FOLDER;
const root = fileURLToPath(new URL('..', import.meta.url));
const reasons = JSON.parse(await readFile(new URL('../test/mutation/survivors.json', import.meta.url), 'utf8'));

const endMs = performance.now() + 60_000 * Number(values.minutes ?? Number.POSITIVE_INFINITY);
const results = [];
for (const area of listAreas(root)) {
  if (only.length > 0 && !only.includes(area.name)) continue;
  const mutants = listMutants(root, area).filter(
    ({ path }) => parts.length === 0 || parts.some((part) => path.includes(part)),
  );
  if (mutants.length === 0) continue;
  const numbered = mutants.map((mutant, id) => ({ ...mutant, id }));
  const outcome = await tryMutants({
    root,
    setup: area.setup ?? [],
    tests: area.tests,
    mutants: numbered,
    onProgress: console.error,
    endMs,
  });
  results.push(report(area, numbered, outcome));
}
if (values.write) await writeMutationPage(results, new Date());
if (results.length === 0 || results.some(({ isKept }) => !isKept)) process.exitCode = 1;

function report({ name }, mutants, { fates, broken }) {
  const counted = mutants.filter(({ id }) => fates.get(id) !== 'invalid');
  const isKilled = ({ id }) => fates.get(id) === 'killed';
  const files = [...new Set(counted.map(({ path }) => path))].map((path) => {
    const own = counted.filter((mutant) => mutant.path === path);
    return { path, total: own.length, killed: own.filter(isKilled).length };
  });
  const survivors = counted
    .filter((mutant) => !isKilled(mutant))
    .map((mutant) => ({ ...mutant, reason: reasons[mutant.path]?.[mutant.name] }));
  for (const { path, killed, total } of files)
    console.log(`${path}: ${killed} killed, ${total - killed} survived, ${total} in all`);
  for (const { path, line, name: change, reason, id } of survivors) {
    console.log(`${fates.get(id)} ${path}:${line} ${change}\n    ${reason ?? 'NO REASON GIVEN'}`);
  }
  for (const path of new Set(mutants.map((mutant) => mutant.path))) {
    const names = new Set(mutants.filter((mutant) => mutant.path === path).map((mutant) => mutant.name));
    const gone = Object.keys(reasons[path] ?? {}).filter((each) => !names.has(each));
    for (const each of gone) console.log(`a reason for a mutant that is no more: ${path} ${each}`);
  }
  for (const { test, error } of broken) console.log(`fails without any mutant: ${test}\n${error}`);
  const killed = counted.length - survivors.length;
  const share = counted.length === 0 ? 1 : killed / counted.length;
  console.log(`${name}: ${killed} of ${counted.length} mutants killed, ${(100 * share).toFixed(1)} %\n`);
  const isKept = share >= MIN_KILLED && broken.length === 0 && survivors.every(({ reason }) => reason);
  return { name, files, survivors, isKept };
}
