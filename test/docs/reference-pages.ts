// docs/reference: pages that are made from the code.
import type { Argument, Command, Option } from 'commander';
import { TABLES, VIEWED_TABLES } from '../../src/clickhouse/schema.ts';
import type { Setting } from '../../src/config.ts';

const MADE = '<!-- Made from the code by npm run reference; a test compares. -->';

export function settingsPage(settings: readonly Setting[]): string {
  const rows = settings.map(({ name, default: fallback, meaning }) => [
    code(name),
    fallback === '' ? '–' : code(fallback),
    meaning,
  ]);
  return page([
    '# Settings',
    MADE,
    [
      'All settings come from the environment, and nothing else does: there is no configuration file. A wrong value stops the',
      'start with a message that names it. An empty value is the same as none.',
    ].join('\n'),
    table(['Setting', 'Default', 'Meaning'], rows),
    'How they are used: [operations.md](../operations.md).',
  ]);
}

export function commandsPage(program: Command): string {
  const commands = leaves(program);
  const list = commands.map(({ path, command }) => [`[${code(path)}](#${anchor(path)})`, command.description()]);
  return page([
    '# Commands',
    MADE,
    [
      'Run as `npx keyrank …`. Every command has `--help`. Settings come from the environment, see [settings.md](settings.md).',
      'Exit codes: 0 done, 1 failed (the message says why and what to do), 2 wrong use.',
    ].join('\n'),
    table(['Command', 'What it does'], list),
    ...commands.flatMap(({ path, command }) => describeCommand(path, command)),
  ]);
}

/** Tables of a cluster, and what analysts see of them. */
export function clickHousePage(): string {
  const viewed: readonly string[] = VIEWED_TABLES;
  return page([
    '# ClickHouse',
    MADE,
    [
      'The tables of `KEYRANK_RANK_STORE=clickhouse`, as `keyrank clickhouse migrate` makes them on every node. Beside each stands one whose',
      'name ends in `_all`, over all nodes. Views with `published_` before the name show analysts what is published:',
      'see [the guide](../guides/clickhouse.md).',
    ].join('\n'),
    ...Object.entries(TABLES).flatMap(([name, { meaning, columns }]) => [
      `## ${name}`,
      meaning,
      ...(viewed.includes(name) ? [`Analysts read ${code(`published_${name}`)}.`] : []),
      table(
        ['Column', 'Type', 'Meaning'],
        Object.entries(columns).map(([column, { type, meaning: says }]) => [code(column), code(type), says]),
      ),
    ]),
  ]);
}

interface NamedCommand {
  readonly path: string;
  readonly command: Command;
}

/** Commands that do something, in the order of the help. */
function leaves(command: Command, path = command.name()): readonly NamedCommand[] {
  if (command.commands.length === 0) return [{ path, command }];
  return command.commands.flatMap((each) => leaves(each, `${path} ${each.name()}`));
}

function describeCommand(path: string, command: Command): readonly string[] {
  const words = command.registeredArguments.map(argumentWord);
  const usage = [path, ...words, ...(command.options.length > 0 ? ['[options]'] : [])].join(' ');
  return [
    `## ${path}`,
    sentence(command.description()),
    `\`\`\`text\n${usage}\n\`\`\``,
    ...tableOf(
      ['Argument', 'Meaning'],
      command.registeredArguments.map((each) => [code(argumentWord(each)), each.description]),
    ),
    ...tableOf(['Option', 'Meaning', 'Default'], command.options.filter(({ hidden }) => !hidden).map(optionRow)),
  ];
}

function optionRow(option: Option): readonly string[] {
  const choices = option.argChoices ? ` (${option.argChoices.map(code).join(', ')})` : '';
  return [
    code(option.flags),
    `${option.description}${choices}${option.mandatory ? '; required' : ''}`,
    defaultOf(option),
  ];
}

function defaultOf({ defaultValue, defaultValueDescription }: Option): string {
  if (defaultValueDescription !== undefined) return defaultValueDescription;
  if (defaultValue === undefined || defaultValue === null) return '–';
  return code(Array.isArray(defaultValue) ? defaultValue.join(',') : String(defaultValue));
}

function argumentWord(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function tableOf(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length > 0 ? [table(headings, rows)] : [];
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

function page(blocks: readonly string[]): string {
  return `${blocks.join('\n\n')}\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
