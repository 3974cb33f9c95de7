import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { errorMessage } from '../domain/error-code.ts';
import type { ApiAnswer, ApiBody, CallApi } from '../mcp/api.ts';
import { openMcpServer } from '../mcp/mcp-server.ts';
import { VERSION } from '../version.ts';

interface Flags {
  readonly url: string;
}

export function registerMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve the MCP tools on standard input and output, for a keyrank server that runs elsewhere')
    .option('--url <address>', 'address of the server', process.env.KEYRANK_URL ?? 'http://127.0.0.1:8080')
    .addHelpText('after', '\nThe API key is read from the environment variable KEYRANK_API_KEY.')
    .action(({ url }: Flags) => {
      const key = process.env.KEYRANK_API_KEY;
      if (!key) {
        throw new OperatorError('There is no API key.', {
          hint: 'Set KEYRANK_API_KEY to a key that keyrank key create has shown.',
        });
      }
      serveStdio(() => openMcpServer({ version: VERSION, callApi: callOver({ url, key }) }), {
        // Standard output belongs to the protocol.
        onerror: (error) => console.error(`error: ${error.message}`),
      });
    });
}

function callOver({ url, key }: { readonly url: string; readonly key: string }): CallApi {
  return async ({ method, target, body }): Promise<ApiAnswer> => {
    try {
      const response = await fetch(new URL(target, url), {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const headers = Object.fromEntries(response.headers);
      return { status: response.status, headers, body: (await response.json()) as ApiBody };
    } catch (error) {
      const message = `${url} cannot be reached: ${errorMessage(error)}.`;
      const hint = 'Start the server, or give its address with --url.';
      return { status: 503, headers: {}, body: { data: null, error: { code: 'SERVICE_UNAVAILABLE', message, hint } } };
    }
  };
}
