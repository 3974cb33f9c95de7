// Resources: what an agent may read into its context without calling a tool. They are read over the public API with the caller's
// key, like tools, and none costs quota.
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { ACCOUNT_TOOLS } from './account-tools.ts';
import type { ApiBody, CallApi } from './api.ts';
import { LIST_TOOLS } from './list-tools.ts';
import type { Tool } from './tool.ts';

const PERIODS = 'keyrank://periods';
const LISTS = 'keyrank://lists';
const MIME_TYPE = 'application/json';
/** As many as a list can hold; whoever wants fewer has the tool. */
const MAX_ITEMS = 1000;

export function registerResources(server: McpServer, callApi: CallApi): void {
  const periods = toolNamed(ACCOUNT_TOOLS, 'list_periods');
  const lists = toolNamed(LIST_TOOLS, 'list_lists');
  const list = toolNamed(LIST_TOOLS, 'read_list');
  const read = async (uri: URL, { tool, target }: { readonly tool: Tool; readonly target: string }) => {
    const body = await ask(callApi, target, uri.href);
    return contents(uri, tool.present(body, {}));
  };
  server.registerResource(
    'periods',
    PERIODS,
    { title: periods.title, description: periods.description, mimeType: MIME_TYPE },
    (uri) => read(uri, { tool: periods, target: '/v1/periods' }),
  );
  server.registerResource(
    'lists',
    LISTS,
    { title: lists.title, description: lists.description, mimeType: MIME_TYPE },
    (uri) => read(uri, { tool: lists, target: '/v1/lists?limit=1000' }),
  );
  const template = new ResourceTemplate(`${LISTS}/{id}`, {
    list: async () => ({ resources: await nameLists(callApi) }),
  });
  server.registerResource(
    'list',
    template,
    { title: list.title, description: list.description, mimeType: MIME_TYPE },
    (uri, { id }) =>
      read(uri, { tool: list, target: `/v1/lists/${encodeURIComponent(String(id))}/items?limit=${MAX_ITEMS}` }),
  );
}

function contents(uri: URL, value: unknown): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType: MIME_TYPE, text: JSON.stringify(value) }] };
}

/** A key that may not read lists still sees the other resources. */
async function nameLists(callApi: CallApi) {
  const { body } = await callApi({ method: 'GET', target: '/v1/lists?limit=1000' });
  const known = (body.data ?? []) as readonly { readonly id: string; readonly name: string }[];
  return known.map(({ id, name }) => ({ uri: `${LISTS}/${id}`, name, mimeType: MIME_TYPE }));
}

async function ask(callApi: CallApi, target: string, uri: string): Promise<ApiBody> {
  const { status, body } = await callApi({ method: 'GET', target });
  if (body.error === null) return body;
  if (status === 404) throw new ResourceNotFoundError(uri);
  const { code, message, hint } = body.error;
  throw new ProtocolError(ProtocolErrorCode.InternalError, [`${code}: ${message}`, hint].join(' ').trim());
}

function toolNamed(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}
