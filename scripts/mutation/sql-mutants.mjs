// The mutants of SQL, in statements within code and in functions of migrations. It reads tokens, not a grammar: enough to find
// conditions, comparisons, locks and numbers. `${…}` within a template is one token.

/** @typedef {import('./code-mutants.mjs').Edit} Edit */
/** @typedef {{ start: number, end: number, text: string, word: string, depth: number }} Token */

const TOKENS =
  /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\$\{(?:[^{}]|\{[^{}]*\})*\}|\$\$|\$\d+|[A-Za-z_][\w.]*|\d[\d_.]*|::|:=|=>|<>|<=|>=|->>?|\|\||[^\s]/g;

const OTHER_WORDS = new Map([
  ['<>', '='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['+', '-'],
  ['-', '+'],
  ['OR', 'AND'],
  ['TRUE', 'false'],
  ['FALSE', 'true'],
  ['LEAST', 'greatest'],
  ['GREATEST', 'least'],
  ['MIN', 'max'],
  ['MAX', 'min'],
  ['DESC', 'ASC'],
  ['DISTINCT', ''],
]);

/** Words after which a condition stands, and those that end one. */
const CONDITION = new Set(['WHERE', 'AND', 'ON', 'IF', 'ELSIF', 'WHEN', 'HAVING']);
const END = new Set(
  'WHERE AND OR ORDER GROUP LIMIT OFFSET FOR RETURNING THEN UNION HAVING LOOP JOIN LEFT CROSS SET DO ON ELSE END WINDOW FROM ; ,'.split(
    ' ',
  ),
);
const REMOVABLE_STATEMENT = new Set(['PERFORM', 'DELETE', 'INSERT', 'UPDATE', 'RETURN', 'NOTIFY']);

/** @param {string} text */
export function isSql(text) {
  return /^\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|LOCK TABLE)\s/.test(text);
}

/** @param {string} text @returns {readonly Edit[]} */
export function listSqlEdits(text) {
  const tokens = readTokens(text);
  return tokens.flatMap((_token, i) => [...changesOf(tokens, i, text)]);
}

/** @returns {Generator<Edit>} */
function* changesOf(tokens, i, text) {
  const token = tokens[i];
  const change = (replacement, last = token) => ({ start: token.start, end: last.end, replacement });
  const next = tokens[i + 1];
  if (token.text === '=' && !isAssignment(tokens, i)) yield change('<>');
  const other = OTHER_WORDS.get(token.word);
  if (other !== undefined && !isSign(tokens, i)) yield change(other);
  if (token.word === 'IS' && next) {
    yield next.word === 'NOT' ? change('IS', next) : change('IS NOT');
  }
  if (token.word === 'SKIP' && next?.word === 'LOCKED') yield change('', next);
  if (token.word === 'FOR' && next && ['UPDATE', 'SHARE'].includes(next.word)) {
    yield change('', tokens[i + 2]?.word === 'SKIP' ? tokens[i + 3] : next);
  }
  if (/^\d[\d_]*$/.test(token.text)) yield change(String(Number(token.text.replaceAll('_', '')) + 1));
  if (/^'\d+ /.test(token.text)) yield change(token.text.replace(/\d+/, (number) => String(Number(number) + 1)));
  else if (/^'.+'$/.test(token.text) && tokens[i - 1]?.word !== 'EXCEPTION') yield change(`'mutant'`);
  yield* changesOfCondition(tokens, i, text);
  yield* removal(tokens, i);
}

function* changesOfCondition(tokens, i, text) {
  const opening = tokens[i];
  if (!CONDITION.has(opening.word)) return;
  // ON CONFLICT has no condition, BETWEEN a AND b is one as a whole, IF EXISTS belongs to other statements.
  if (opening.word === 'ON' && tokens[i + 1]?.word === 'CONFLICT') return;
  if (opening.word === 'AND' && tokens.slice(Math.max(0, i - 6), i).some(({ word }) => word === 'BETWEEN')) return;
  let last = i;
  while (tokens[last + 1] && !endsCondition(tokens, last + 1, opening)) last += 1;
  if (last === i) return;
  const [start, end] = [tokens[i + 1].start, tokens[last].end];
  const condition = text.slice(start, end);
  yield { start, end, replacement: `(true OR (${condition}))` };
  if (['IF', 'ELSIF', 'WHEN'].includes(opening.word)) yield { start, end, replacement: `(false AND (${condition}))` };
}

function endsCondition(tokens, at, opening) {
  const token = tokens[at];
  if (token.depth < opening.depth) return true;
  if (token.depth > opening.depth) return false;
  return END.has(token.word) && !(token.word === 'FROM' && tokens[at - 1]?.word === 'DISTINCT');
}

/** A statement of a function does nothing. */
function* removal(tokens, i) {
  const previous = tokens[i - 1];
  const isFirst = previous && [';', 'THEN', 'BEGIN', 'ELSE', 'LOOP'].includes(previous.word);
  if (!isFirst) return;
  const isRemovable = REMOVABLE_STATEMENT.has(tokens[i].word) || tokens[i + 1]?.text === ':=';
  const end = tokens.findIndex((token, at) => at > i && token.text === ';');
  if (isRemovable && end !== -1) yield { start: tokens[i].start, end: tokens[end - 1].end, replacement: 'NULL' };
}

/** `SET a = b`, as against a comparison. */
function isAssignment(tokens, at) {
  const { depth } = tokens[at];
  for (let i = at - 1; i >= 0; i -= 1) {
    const token = tokens[i];
    if (token.depth < depth) return false;
    if (token.depth > depth) continue;
    if (token.word === 'SET') return true;
    if (['WHERE', 'ON', 'AND', 'SELECT', 'IF', 'WHEN', 'HAVING'].includes(token.word)) return false;
  }
  return false;
}

function isSign(tokens, i) {
  const { text } = tokens[i];
  if (text !== '-' && text !== '+') return false;
  return !/[\w)'"}]$/.test(tokens[i - 1]?.text ?? '');
}

/** @returns {readonly Token[]} */
function readTokens(text) {
  let depth = 0;
  return [...text.matchAll(TOKENS)]
    .filter(({ 0: found }) => !found.startsWith('--'))
    .map(({ index, 0: found }) => {
      if (found === ')') depth -= 1;
      const token = { start: index, end: index + found.length, text: found, word: found.toUpperCase(), depth };
      if (found === '(') depth += 1;
      return token;
    });
}

/** The newest definition of a function in the migrations, from CREATE to its last `$$`. @param {readonly string[]} sources */
export function findSqlFunction(name, sources) {
  const opening = new RegExp(`CREATE (?:OR REPLACE )?FUNCTION ${name}\\(`, 'g');
  for (const [i, source] of [...sources.entries()].reverse()) {
    const found = [...source.matchAll(opening)].at(-1);
    if (!found) continue;
    const body = source.indexOf('$$', found.index);
    const end = source.indexOf('$$', body + 2) + 2;
    return { source: i, start: found.index, bodyStart: body + 2, bodyEnd: end - 2, end };
  }
  throw new Error(`No migration defines ${name}.`);
}
