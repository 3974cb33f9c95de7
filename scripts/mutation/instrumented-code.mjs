// All mutants of a file compiled in at once ("mutant schemata"): where some change the same expression it becomes a choice between them
// and the original, made by the number of the mutant that is active.

/** @typedef {import('./mutants.mjs').Mutant} Mutant */

/** On the first line, so that lines keep their numbers. Whoever loads such a file without the runner gets the original. */
const PRELUDE = 'const isMutant = globalThis.isKeyrankMutant ?? (() => false); ';

/** @param {string} text @param {readonly Mutant[]} mutants of this file */
export function instrumentCode(text, mutants) {
  const hosts = new Map();
  for (const mutant of mutants) hosts.set(hostKey(mutant), [...(hosts.get(hostKey(mutant)) ?? []), mutant]);
  // The outer before the inner, and a statement before an expression with the same range.
  const groups = [...hosts.values()].sort(
    ([a], [b]) => a.hostStart - b.hostStart || b.hostEnd - a.hostEnd || Number(b.isStatement) - Number(a.isStatement),
  );
  let at = 0;
  return PRELUDE + write(0, text.length);

  function write(start, end) {
    let written = '';
    let position = start;
    while (at < groups.length && groups[at][0].hostStart < end) {
      const group = groups[at];
      at += 1;
      const [{ hostStart, hostEnd }] = group;
      written += text.slice(position, hostStart) + choose(group, write(hostStart, hostEnd));
      position = hostEnd;
    }
    return written + text.slice(position, end);
  }

  function choose(group, original) {
    if (group[0].isStatement) return `{ if (!isMutant(${group[0].id})) { ${original} } }`;
    const choices = group.map((mutant) => `isMutant(${mutant.id}) ? (${mutatedHost(mutant)}) : `);
    return `(${choices.join('')}(${original}))`;
  }

  function mutatedHost({ hostStart, start, replacement, end, hostEnd }) {
    return text.slice(hostStart, start) + replacement + text.slice(end, hostEnd);
  }
}

function hostKey({ hostStart, hostEnd, isStatement }) {
  return `${hostStart}-${hostEnd}-${isStatement}`;
}
