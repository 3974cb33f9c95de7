// The mutants of a TypeScript file: one small change each, of the kinds that people make by mistake. What has no effect at run time
// (types, imports) is left alone, and so are texts that only developers read: messages of assertions and plain errors, and log lines.
import ts from 'typescript';
import { isSql, listSqlEdits } from './sql-mutants.mjs';

/**
 * @typedef {object} Edit One change of a source text.
 * @property {number} start @property {number} end @property {string} replacement
 *
 * @typedef {Edit & { hostStart: number, hostEnd: number, isStatement: boolean }} CodeEdit The host is the smallest expression, or
 * the statement, that can be had in two forms side by side: for a part of an optional chain it is the whole chain.
 */

const { SyntaxKind } = ts;

const OPERATORS = new Map([
  [SyntaxKind.EqualsEqualsEqualsToken, ['!==']],
  [SyntaxKind.ExclamationEqualsEqualsToken, ['===']],
  [SyntaxKind.LessThanToken, ['<=', '>=']],
  [SyntaxKind.LessThanEqualsToken, ['<', '>']],
  [SyntaxKind.GreaterThanToken, ['>=', '<=']],
  [SyntaxKind.GreaterThanEqualsToken, ['>', '<']],
  [SyntaxKind.AmpersandAmpersandToken, ['||']],
  [SyntaxKind.BarBarToken, ['&&']],
  [SyntaxKind.QuestionQuestionToken, ['&&']],
  [SyntaxKind.PlusToken, ['-']],
  [SyntaxKind.MinusToken, ['+']],
  [SyntaxKind.AsteriskToken, ['/']],
  [SyntaxKind.SlashToken, ['*']],
  [SyntaxKind.PercentToken, ['*']],
  [SyntaxKind.AsteriskAsteriskToken, ['*']],
  [SyntaxKind.AmpersandToken, ['|']],
  [SyntaxKind.BarToken, ['&']],
  [SyntaxKind.CaretToken, ['&']],
  [SyntaxKind.LessThanLessThanToken, ['>>']],
  [SyntaxKind.GreaterThanGreaterThanToken, ['<<']],
  [SyntaxKind.GreaterThanGreaterThanGreaterThanToken, ['<<']],
  [SyntaxKind.PlusEqualsToken, ['-=']],
  [SyntaxKind.MinusEqualsToken, ['+=']],
  [SyntaxKind.AsteriskEqualsToken, ['/=']],
  [SyntaxKind.SlashEqualsToken, ['*=']],
  [SyntaxKind.BarEqualsToken, ['&=']],
  [SyntaxKind.QuestionQuestionEqualsToken, ['=']],
]);

/** Methods that are easily taken for one another. */
const OTHER_METHODS = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['toLowerCase', 'toUpperCase'],
  ['toUpperCase', 'toLowerCase'],
  ['trimStart', 'trimEnd'],
  ['trimEnd', 'trimStart'],
  ['findLast', 'find'],
  ['find', 'findLast'],
]);

/** Methods without which a value keeps its type. */
const NEEDLESS_METHODS = new Set([
  'filter',
  'slice',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'trim',
  'normalize',
  'replace',
  'replaceAll',
  'flat',
]);

const LOG_METHODS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

/** @param {readonly string[]} tables constants that are mutated as a whole @returns {readonly CodeEdit[]} in the order of the text */
export function listCodeEdits(path, text, tables = []) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  /** @type {CodeEdit[]} */
  const edits = [];
  visit(file);
  return edits.sort((a, b) => a.start - b.start || a.end - b.end);

  function visit(node) {
    if (isOfNoEffect(node) || isForDevelopers(node)) return;
    for (const [range, replacement] of changesOf(node, file)) add(node, range, replacement);
    if (isTable(node, tables)) return;
    ts.forEachChild(node, visit);
  }

  function add(node, [start, end], replacement) {
    const isStatement = ts.isStatement(node) && !ts.isExpressionStatement(node);
    const host = isStatement ? node : outermostOfChain(hostOf(node));
    edits.push({ start, end, replacement, hostStart: host.getStart(file), hostEnd: host.getEnd(), isStatement });
  }
}

/** The changes of this very node as ranges and what takes their place. */
function* changesOf(node, file) {
  const whole = [node.getStart(file), node.getEnd()];
  const rangeOf = (part) => [part.getStart(file), part.getEnd()];
  if (isCondition(node)) {
    // A loop that never ends tells nothing about tests.
    if (!isLoopCondition(node)) yield [whole, 'true'];
    yield [whole, 'false'];
  }
  if (ts.isBinaryExpression(node)) {
    for (const operator of OPERATORS.get(node.operatorToken.kind) ?? []) yield [rangeOf(node.operatorToken), operator];
  } else if (ts.isPrefixUnaryExpression(node)) yield* changesOfPrefix(node, whole, file);
  else if (ts.isPostfixUnaryExpression(node)) {
    yield [[node.operand.getEnd(), node.getEnd()], node.operator === SyntaxKind.PlusPlusToken ? '--' : '++'];
  } else if (ts.isCallExpression(node)) yield* changesOfCall(node, file);
  else if (node.questionDotToken)
    yield [rangeOf(node.questionDotToken), ts.isPropertyAccessExpression(node) ? '.' : ''];
  else if (ts.isArrayLiteralExpression(node)) {
    if (node.elements.length > 0 && !isAssigned(node)) yield [whole, '[]'];
  } else if (ts.isRegularExpressionLiteral(node)) {
    for (const pattern of listPatternChanges(node.text)) yield [whole, pattern];
  } else yield* changesOfLiteral(node, whole);
  yield* changesOfFlow(node, whole, rangeOf);
}

function* changesOfPrefix(node, whole, file) {
  const operator = [node.getStart(file), node.operand.getStart(file)];
  if (node.operator === SyntaxKind.ExclamationToken || node.operator === SyntaxKind.MinusToken) yield [operator, ''];
  else if (node.operator === SyntaxKind.PlusPlusToken) yield [operator, '--'];
  else if (node.operator === SyntaxKind.MinusMinusToken) yield [operator, '++'];
  else if (node.operator === SyntaxKind.TildeToken) yield [[whole[0], node.operand.getStart(file)], ''];
}

function* changesOfCall(node, file) {
  if (node.questionDotToken) {
    yield [[node.questionDotToken.getStart(file), node.questionDotToken.getEnd()], ''];
  }
  const callee = node.expression;
  if (!ts.isPropertyAccessExpression(callee)) return;
  const other = OTHER_METHODS.get(callee.name.text);
  if (other) yield [[callee.name.getStart(file), callee.name.getEnd()], other];
  if (NEEDLESS_METHODS.has(callee.name.text)) yield [[callee.expression.getEnd(), node.getEnd()], ''];
}

function* changesOfLiteral(node, whole) {
  if (node.kind === SyntaxKind.TrueKeyword) yield [whole, 'false'];
  else if (node.kind === SyntaxKind.FalseKeyword) yield [whole, 'true'];
  else if (ts.isNumericLiteral(node) && !isName(node)) yield [whole, String(Number(node.text.replaceAll('_', '')) + 1)];
  else if (isText(node) && !isName(node)) {
    const start = whole[0] + 1;
    const text = node.getText();
    if (isSql(text.slice(1, -1))) {
      for (const edit of listSqlEdits(text.slice(1, -1))) {
        yield [[start + edit.start, start + edit.end], edit.replacement];
      }
    } else yield [whole, text.length === 2 ? "'mutant'" : "''"];
  }
}

function* changesOfFlow(node, whole, rangeOf) {
  if (ts.isExpressionStatement(node)) yield [rangeOf(node.expression), 'void 0'];
  else if (ts.isThrowStatement(node) || ts.isContinueStatement(node) || ts.isBreakStatement(node)) yield [whole, ''];
  else if (ts.isReturnStatement(node) && !node.expression) yield [whole, ''];
  else if (isReturned(node) && !isLiteral(node) && node.getText() !== 'undefined') yield [whole, 'undefined'];
}

/** @param {string} literal with its slashes and flags */
function listPatternChanges(literal) {
  const end = literal.lastIndexOf('/');
  const [pattern, flags] = [literal.slice(1, end), literal.slice(end)];
  const changes = [];
  const push = (changed) => changed !== '' && changed !== pattern && changes.push(`/${changed}${flags}`);
  if (pattern.startsWith('^')) push(pattern.slice(1));
  if (pattern.endsWith('$') && !pattern.endsWith('\\$')) push(pattern.slice(0, -1));
  for (const { index, 0: found } of pattern.matchAll(/(?<!\\)(?:\[\^?|[+*](?!\?)|\{\d+(?:,\d*)?\})/g)) {
    const swap = { '[': '[^', '[^': '[', '+': '*', '*': '+' }[found] ?? '';
    push(pattern.slice(0, index) + swap + pattern.slice(index + found.length));
  }
  return changes;
}

function isCondition(node) {
  const { parent } = node;
  if (!parent || isLiteral(node)) return false;
  const isTested = ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isDoStatement(parent);
  return (
    (isTested && parent.expression === node) ||
    ((ts.isConditionalExpression(parent) || ts.isForStatement(parent)) && parent.condition === node)
  );
}

function isLoopCondition({ parent }) {
  return ts.isWhileStatement(parent) || ts.isDoStatement(parent) || ts.isForStatement(parent);
}

function isReturned(node) {
  const { parent } = node;
  return (
    (parent && ts.isReturnStatement(parent)) ||
    (parent && ts.isArrowFunction(parent) && parent.body === node && !ts.isBlock(node))
  );
}

function isLiteral(node) {
  return ts.isLiteralExpression(node) || node.kind === SyntaxKind.TrueKeyword || node.kind === SyntaxKind.FalseKeyword;
}

function isText(node) {
  return (
    (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)) &&
    !ts.isTaggedTemplateExpression(node.parent)
  );
}

/** A literal that names a property is no value. */
function isName(node) {
  return node.parent.name === node || node.parent.propertyName === node;
}

function isAssigned(node) {
  const { parent } = node;
  return (
    (ts.isBinaryExpression(parent) && parent.left === node && parent.operatorToken.kind === SyntaxKind.EqualsToken) ||
    (ts.isForOfStatement(parent) && parent.initializer === node)
  );
}

function isOfNoEffect(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    (ts.isExpressionStatement(node) && ts.isStringLiteral(node.expression))
  );
}

/** The value of a constant that is one of the tables. */
function isTable(node, tables) {
  const holder = node.parent && ts.isAsExpression(node.parent) ? node.parent.parent : node.parent;
  return (
    holder !== undefined &&
    ts.isVariableDeclaration(holder) &&
    holder.name !== node &&
    tables.includes(holder.name.getText())
  );
}

/** Texts that no user and no program reads: what an assertion or a plain error says, and lines of the log. */
function isForDevelopers(node) {
  const { parent } = node;
  if (!parent) return false;
  if (ts.isNewExpression(parent)) {
    return parent.arguments?.includes(node) === true && isText(node) && parent.expression.getText() === 'Error';
  }
  if (!ts.isCallExpression(parent) || !parent.arguments.includes(node)) return false;
  const callee = parent.expression;
  if (ts.isIdentifier(callee)) return callee.text === 'assert' && parent.arguments[0] !== node;
  return (
    ts.isPropertyAccessExpression(callee) &&
    LOG_METHODS.has(callee.name.text) &&
    /\blog$/i.test(callee.expression.getText())
  );
}

function hostOf(node) {
  return ts.isExpressionStatement(node) ? node.expression : node;
}

/** Parentheses in the middle of `a?.b.c` would end its short circuit. */
function outermostOfChain(node) {
  const { parent } = node;
  const isPart =
    ts.isOptionalChain(node) &&
    ts.isOptionalChain(parent) &&
    parent.expression === node &&
    !parent.arguments?.includes(node);
  return isPart ? outermostOfChain(parent) : node;
}
