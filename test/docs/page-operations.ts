// web/api/operations.ts: what the page knows of the API beside its types. The page sees nothing of src/, so it is written for it.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SearchFilter } from '../../src/domain/search-filter.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import type { Tool } from '../../src/mcp/tool.ts';

const BIOME = fileURLToPath(new URL('../../node_modules/@biomejs/biome/bin/biome', import.meta.url));

export interface KnownApi {
  readonly endpoints: readonly Endpoint[];
  readonly filters: Readonly<Record<string, SearchFilter>>;
  readonly tools: readonly Tool[];
}

export function pageOperations({ endpoints, filters, tools }: KnownApi): string {
  const lists = endpoints.filter(({ method, item }) => method === 'GET' && item === undefined);
  const operations = lists.map(({ path, operationId, parameters }) => {
    const kinds = Object.entries(parameters).map(([name, { schema }]) => [name, kindOf(schema)]);
    return [path, { name: operationId, parameters: Object.fromEntries(kinds) }];
  });
  const inputs = tools
    .filter(({ effect }) => effect === 'reads')
    .map(({ name, input }) => [name, Object.keys(input.shape)]);
  const text = `// Made by npm run reference; a test compares.

/** What a value is to a program; the address bar holds text. */
export type ParameterKind = 'texts' | 'number' | 'flag' | 'text';

/** What the API can be asked, by path. */
export const OPERATIONS: Readonly<
  Record<string, { readonly name: string; readonly parameters: Readonly<Record<string, ParameterKind>> }>
> = ${JSON.stringify(Object.fromEntries(operations))};

export const SEARCH_FILTERS: readonly {
  readonly parameter: string;
  readonly kind: 'texts' | 'bound' | 'flag' | 'measure' | 'period';
  readonly title: string;
}[] = ${JSON.stringify(
    Object.values(filters).map(({ parameter, kind, title }) => ({ parameter, kind, title })),
    null,
    2,
  )};

/** What the tools of an agent take, by name. */
export const TOOL_INPUTS: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(Object.fromEntries(inputs), null, 2)};
`;
  return execFileSync(process.execPath, [BIOME, 'check', '--write', '--stdin-file-path=web/api/operations.ts'], {
    input: text,
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
}

function kindOf(schema: object): string {
  const type = 'type' in schema ? String(schema.type) : '';
  if (type === 'array') return 'texts';
  if (type === 'boolean') return 'flag';
  return /^(integer|number)/.test(type) ? 'number' : 'text';
}
