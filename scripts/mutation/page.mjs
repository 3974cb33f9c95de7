// The section of docs/reliability.md on mutants: a table of the files, and every survivor with its reason.
import { readFile, writeFile } from 'node:fs/promises';

const PAGE = new URL('../../docs/reliability.md', import.meta.url);
const SCORES = /(<!-- mutants -->\n)([\s\S]*?)(<!-- end of mutants -->)/;
const TOTAL = '**all**';
const SURVIVORS = /(<!-- survivors -->\n)([\s\S]*?)(<!-- end of survivors -->)/;

/** Rows of files that were not tried stay as they are; the sums of an area are made of all its rows. */
export async function writeMutationPage(results, date) {
  const page = await readFile(PAGE, 'utf8');
  const day = date.toISOString().slice(0, 10);
  const tried = new Set(results.flatMap(({ name, files }) => files.map(({ path }) => `${name} \`${path}\``)));
  const isKept = ([area, file]) => !tried.has(`${area} ${file}`) && file !== TOTAL;
  const scores = [
    ...listRows(page, SCORES).filter(isKept),
    ...results.flatMap(({ name, files }) => files.map((file) => scoreRow(name, `\`${file.path}\``, file, day))),
  ];
  const survivors = [
    ...listRows(page, SURVIVORS).filter(isKept),
    ...results.flatMap(({ name, survivors: found }) =>
      found.map(({ path, name: mutant, reason }) => {
        const [line, change] = splitName(mutant);
        return [name, `\`${path}\``, code(line), code(change), reason ?? ''];
      }),
    ),
  ];
  const areas = [...new Set(scores.map(([area]) => area))];
  const summed = areas.flatMap((area) => {
    const rows = scores.filter(([name]) => name === area);
    return [totalRow(area, rows), ...rows];
  });
  const sorted = areas.flatMap((area) => survivors.filter(([name]) => name === area));
  const written = put(page, SCORES, ['Area', 'File', 'Mutants', 'Killed', 'Share', 'Date'], summed);
  await writeFile(PAGE, put(written, SURVIVORS, ['Area', 'File', 'Line', 'Change', 'Why no test fails'], sorted));
}

function totalRow(area, rows) {
  const [total, killed] = [2, 3].map((column) => rows.reduce((sum, row) => sum + Number(row[column]), 0));
  const days = rows.map((row) => row[5]).sort();
  return scoreRow(area, TOTAL, { total, killed }, days.at(-1));
}

function scoreRow(area, file, { total, killed }, day) {
  return [area, file, String(total), String(killed), `${((100 * killed) / total).toFixed(1)} %`, day];
}

function listRows(page, marks) {
  const lines = (marks.exec(page)?.[2] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '));
}

function put(page, marks, header, rows) {
  const table = [header, header.map(() => '---'), ...rows];
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
