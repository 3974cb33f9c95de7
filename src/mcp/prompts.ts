// Prompts: work that people ask for again and again, told to the agent as steps over the tools. A prompt reads nothing itself, so
// that choosing one costs no quota; each says what its steps will cost. What a person typed stands in the text as JSON: it names
// things and is no instruction.
import { type GetPromptResult, type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { MAX_COMPARED, MIN_COMPARED } from '../domain/holder.ts';

const MAX_ARGUMENT_CHARACTERS = 500;

// Arguments of prompts are texts in every version of the protocol.
const argument = (description: string) => z.string().trim().min(1).max(MAX_ARGUMENT_CHARACTERS).describe(description);
const marketplace = z
  .string()
  .regex(/^[A-Z]{2}$/)
  .optional()
  .describe('Two-letter marketplace such as US. Leave out for the default one.');

interface Prompt<Schema extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  readonly write: (input: z.output<Schema>) => string;
}

function definePrompt<Schema extends z.ZodObject>(prompt: Prompt<Schema>): Prompt {
  return prompt as unknown as Prompt;
}

export function registerPrompts(server: McpServer): void {
  for (const { name, title, description, input, write } of PROMPTS) {
    server.registerPrompt(
      name,
      { title, description, argsSchema: input },
      (values): GetPromptResult => ({
        description,
        messages: [{ role: 'user', content: { type: 'text', text: write(values) } }],
      }),
    );
  }
}

function steps(task: string, list: readonly string[], report: string): string {
  return [
    task,
    '',
    'Use the tools of keyrank in this order:',
    ...list.map((step, i) => `${i + 1}. ${step}`),
    '',
    report,
  ].join('\n');
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function inShop(shop: string | undefined): string {
  return shop === undefined ? '' : ` in the marketplace ${shop}`;
}

function parseProducts(text: string): readonly string[] {
  const products = [...new Set(text.split(/[\s,;]+/).filter((each) => each !== ''))];
  if (products.length >= MIN_COMPARED && products.length <= MAX_COMPARED) return products;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Give ${MIN_COMPARED} to ${MAX_COMPARED} products with commas between them, your own first; these are ${products.length}.`,
  );
}

export const PROMPTS: readonly Prompt[] = [
  definePrompt({
    name: 'weekly_review',
    title: 'Weekly review',
    description:
      'What moved since the last report: tracked keywords and products, risers, fallers and new terms. Free of quota.',
    input: z.strictObject({ marketplace, focus: argument('A topic, brand or list to look at first.').optional() }),
    write: ({ marketplace: shop, focus }) =>
      steps(
        `Write a weekly review of our keywords${inShop(shop)}.${focus === undefined ? '' : ` Begin with what concerns ${quoted(focus)}.`}`,
        [
          'list_periods: which week and month are the newest, and how old they are.',
          'list_tracked_keywords and list_tracked_products: what moved, and which rules are met.',
          'list_chart_notes of that time: an event that was noted may explain a move.',
          'rank_changes with type W, once with direction positive and once negative: what moved in the whole market.',
          'new_terms with type W: which terms are ranked for the first time.',
        ],
        'Report in one page: first what needs a decision, then risers, fallers and new terms as short tables with ranks before and after. ' +
          'Name the period of every number. Say so where there is no data; do not guess causes.',
      ),
  }),
  definePrompt({
    name: 'find_rising_niches',
    title: 'Find rising niches',
    description:
      'Groups of terms around a topic that climb and that few products hold. Its steps cost about four searches of the hourly quota.',
    input: z.strictObject({ topic: argument('Words that the niche is about, such as "camping".'), marketplace }),
    write: ({ topic, marketplace: shop }) =>
      steps(
        `Find rising niches around ${quoted(topic)}${inShop(shop)}.`,
        [
          'get_usage: how many searches are left in this hour; stop before they are used up.',
          'search_roots with order_by rising: which words and phrases climb.',
          'search_keywords for the best two or three of them with include insights: how terms move and how concentrated their clicks are.',
          'rank_changes with direction positive and new_terms for the same words, which are free.',
          'seasonal_terms for the same words: what only returns every year is no new niche.',
        ],
        'Name at most five niches, each with three to five terms, their ranks now and before, how concentrated the clicks are, and ' +
          'whether it is seasonal. Put the most open one first and say what speaks against each.',
      ),
  }),
  definePrompt({
    name: 'compare_my_products',
    title: 'Compare my products',
    description:
      'What competitors are found by and our product is not, and what it alone holds. Its steps cost up to four searches of the hourly quota.',
    input: z.strictObject({
      asins: argument(`${MIN_COMPARED} to ${MAX_COMPARED} ASINs or item ids with commas between them; our own first.`),
      marketplace,
    }),
    write: ({ asins, marketplace: shop }) => {
      const products = parseProducts(asins);
      return steps(
        `Compare our product ${quoted(products[0] ?? '')} with ${products.slice(1).map(quoted).join(', ')}${inShop(shop)}.`,
        [
          'compare_products with mode gap: keywords that the others hold and ours lacks.',
          'compare_products with mode shared: who stands before whom where both are.',
          'product_overview of ours: whether it gains or loses keywords over the periods.',
          'product_keywords of ours with status lost, if it loses.',
        ],
        'Report the ten most searched keywords of the gap with who holds them, the shared ones where ours stands behind, and what ours lost. ' +
          'End with the three keywords that are worth most, and why.',
      );
    },
  }),
];
