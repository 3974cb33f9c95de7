// The table of docs/reliability.md: the newest figure of every promise. A run of some promises leaves the rows of the others.
import { readFile, writeFile } from 'node:fs/promises';

const PAGE = new URL('../docs/reliability.md', import.meta.url);
const TABLE = /(<!-- figures -->\n)([\s\S]*?)(<!-- end of figures -->)/;
const HEADER = ['Area', 'Promise', 'Goal', 'Measured', 'Kept', 'Seed', 'Date'];

/** @param findings what this run found  @param run its seed and date */
export async function writeFindings(findings, { seed, date }) {
  const page = await readFile(PAGE, 'utf8');
  const written = parseRows(page);
  const found = findings.map(({ area, name, goal, kept, figure }) =>
    [area, name, goal, figure, kept ? 'yes' : 'no', String(seed), date.toISOString().slice(0, 10)].map(oneCell),
  );
  const names = new Set(found.map(([, name]) => name));
  const rows = [...written.filter(([, name]) => !names.has(name)), ...found];
  const areas = [...new Set(rows.map(([area]) => area))];
  const table = [HEADER, HEADER.map(() => '---'), ...areas.flatMap((area) => rows.filter((row) => row[0] === area))];
  const text = table.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  await writeFile(
    PAGE,
    page.replace(TABLE, (_all, before, _old, after) => before + text + after),
  );
}

/** @returns the cells of every row below the header of the page's table of figures */
export function parseRows(page) {
  const rows = (TABLE.exec(page)?.[2] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) => row.slice(2, -2).split(' | '));
}

function oneCell(text) {
  return text.replaceAll('|', '/').replaceAll(/\s+/g, ' ').trim();
}
