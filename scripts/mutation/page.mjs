// The section of docs/reliability.md on mutants: a table of the files, and every survivor with its reason.
import { readFile, writeFile } from 'node:fs/promises';

const PAGE = new URL('../../docs/reliability.md', import.meta.url);
const SCORES = /(<!-- mutants -->\n)([\s\S]*?)(<!-- end of mutants -->)/;
const SURVIVORS = /(<!-- survivors -->\n)([\s\S]*?)(<!-- end of survivors -->)/;

/** Rows of areas that were not tried stay as they are. */
export async function writeMutationPage(results, date) {
  const page = await readFile(PAGE, 'utf8');
  const areas = new Set(results.map(({ name }) => name));
  const day = date.toISOString().slice(0, 10);
  const scores = results.flatMap(({ name, files }) => [
    scoreRow(name, '**all**', files, day),
    ...files.map((file) => scoreRow(name, `\`${file.path}\``, [file], day)),
  ]);
  const survivors = results.flatMap(({ name, survivors: found }) =>
    found.map(({ path, name: mutant, reason }) => {
      const [line, change] = splitName(mutant);
      return [name, `\`${path}\``, code(line), code(change), reason ?? ''];
    }),
  );
  const written = put(
    put(page, SCORES, ['Area', 'File', 'Mutants', 'Killed', 'Share', 'Date'], scores, areas),
    SURVIVORS,
    ['Area', 'File', 'Line', 'Change', 'Why no test fails'],
    survivors,
    areas,
  );
  await writeFile(PAGE, written);
}

function scoreRow(area, file, files, day) {
  const [total, killed] = ['total', 'killed'].map((key) => files.reduce((sum, each) => sum + each[key], 0));
  return [area, file, String(total), String(killed), `${((100 * killed) / total).toFixed(1)} %`, day];
}

function put(page, marks, header, rows, areas) {
  const old = (marks.exec(page)?.[2] ?? '').split('\n').filter((line) => line.startsWith('| '));
  const kept = old
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '))
    .filter(([area]) => !areas.has(area));
  const table = [header, header.map(() => '---'), ...kept, ...rows];
  const text = table.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  return page.replace(marks, (_all, before, _old, after) => before + text + after);
}

/** The line of code may have a bar of its own. */
function splitName(name) {
  const at = name.lastIndexOf(' | ');
  return [name.slice(0, at), name.slice(at + 3)];
}

function code(text) {
  const safe = text.replaceAll('|', '¦');
  return safe.includes('`') ? `\`\` ${safe} \`\`` : `\`${safe}\``;
}
