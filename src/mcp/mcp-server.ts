// Tools, prompts and resources as an MCP server. Each answer says what it cost and what is left, because an agent plans by that.
import { McpServer } from '@modelcontextprotocol/server';
import { ACCOUNT_TOOLS } from './account-tools.ts';
import type { ApiAnswer, CallApi } from './api.ts';
import { LIST_TOOLS } from './list-tools.ts';
import { PRODUCT_TOOLS } from './product-tools.ts';
import { registerPrompts } from './prompts.ts';
import { registerResources } from './resources.ts';
import { SEARCH_TOOLS } from './search-tools.ts';
import type { Tool } from './tool.ts';
import { TRACKING_TOOLS } from './tracking-tools.ts';
import { TREND_TOOLS } from './trend-tools.ts';

export const TOOLS: readonly Tool[] = [
  ...SEARCH_TOOLS,
  ...PRODUCT_TOOLS,
  ...TREND_TOOLS,
  ...ACCOUNT_TOOLS,
  ...TRACKING_TOOLS,
  ...LIST_TOOLS,
];

const INSTRUCTIONS = `keyrank has the search-frequency ranks of shopping keywords over months and weeks; rank 1 is the most searched.
Searches cost an hourly quota, trends and tracked keywords are free. Each answer says what it cost and what is left.`;

export function openMcpServer({
  version,
  callApi,
}: {
  readonly version: string;
  readonly callApi: CallApi;
}): McpServer {
  const server = new McpServer({ name: 'keyrank', version }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: tool.input,
        annotations: {
          readOnlyHint: tool.effect === 'reads',
          destructiveHint: tool.effect === 'removes',
          idempotentHint: tool.effect !== 'removes',
          openWorldHint: false,
        },
      },
      async (input) => await runTool(tool, { input, callApi }),
    );
  }
  registerPrompts(server);
  registerResources(server, callApi);
  return server;
}

async function runTool(
  tool: Tool,
  { input, callApi }: { readonly input: Record<string, unknown>; readonly callApi: CallApi },
) {
  const answer = await callApi(tool.plan(input));
  const { error } = answer.body;
  const quota = await readQuota(answer, callApi);
  const result = error ? { error, ...retryOf(answer), ...quota } : { ...tool.present(answer.body, input), ...quota };
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(result) }],
    structuredContent: result,
    isError: error !== null,
  };
}

function retryOf({ headers }: ApiAnswer): { readonly retry_after_seconds?: number } {
  const seconds = headers['retry-after'];
  return seconds === undefined ? {} : { retry_after_seconds: Number(seconds) };
}

interface Quota {
  /** Searches of the hourly quota that this call took. */
  readonly cost: number;
  /** Null when the key may not read it. */
  readonly searches_left: number | null;
}

/** Searches carry it in their headers; for everything else it is asked, which is free. */
async function readQuota({ headers, status }: ApiAnswer, callApi: CallApi): Promise<Quota> {
  const remaining = headers['ratelimit-remaining'];
  if (remaining !== undefined)
    return { cost: status === 200 || status === 404 || status === 500 ? 1 : 0, searches_left: Number(remaining) };
  const { body } = await callApi({ method: 'GET', target: '/v1/usage' });
  const usage = body.data as { readonly rate_limit?: { readonly remaining?: number } } | null | undefined;
  return { cost: 0, searches_left: usage?.rate_limit?.remaining ?? null };
}
