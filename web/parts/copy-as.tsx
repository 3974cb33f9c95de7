// Every view shows how to ask for the same thing from a program.
import { signal } from '@preact/signals';
import { fillPath, type Request } from '../api/request.ts';
import { apiKey, isSession } from '../app/session.ts';
import { copyText } from './copied-text.ts';
import { writeMcpCall } from './mcp-call.ts';
import { Popover } from './popover.tsx';
import { writeSdkCall } from './sdk-call.ts';

interface Recipe {
  readonly name: string;
  /** Given the key if it may be shown. Undefined where this way leads nowhere. */
  readonly write: (request: Request, key: string | undefined) => string | undefined;
}

/** One per way to ask. */
const RECIPES: readonly Recipe[] = [
  { name: 'curl', write: writeCurl },
  { name: 'SDK', write: writeSdkCall },
  { name: 'MCP', write: writeMcpCall },
];

const isKeyShown = signal(false);

export function CopyAs({ request }: { readonly request: Request }) {
  return (
    <Popover text="Copy as" icon="code" title="Copy this view as a command" align="right">
      {() => <CopyPanel request={request} />}
    </Popover>
  );
}

function CopyPanel({ request }: { readonly request: Request }) {
  // A session has no key to show.
  const hasKey = !isSession(apiKey.value);
  const key = isKeyShown.value && hasKey ? (apiKey.value ?? undefined) : undefined;
  return (
    <div class="copy-panel">
      {RECIPES.map(({ name, write }) => {
        const text = write(request, key);
        return text === undefined ? null : (
          <section key={name}>
            <header>
              <h3>{name}</h3>
              <button type="button" class="button is-small" onClick={() => copyText(text, `Copied as ${name}.`)}>
                Copy
              </button>
            </header>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable. */}
            <pre tabIndex={0}>{text}</pre>
          </section>
        );
      })}
      <label class="check">
        <input
          type="checkbox"
          checked={isKeyShown.value && hasKey}
          disabled={!hasKey}
          onChange={(event) => {
            isKeyShown.value = event.currentTarget.checked;
          }}
        />
        <span>
          {hasKey ? 'Put my key in; without it,' : 'Make a key under Team and'} set <code>KEYRANK_API_KEY</code> first
        </span>
      </label>
    </div>
  );
}

function writeCurl(request: Request, key: string | undefined): string {
  const { method = 'GET', params, body } = request;
  const query = params?.toString() ?? '';
  const address = `${window.location.origin}${fillPath(request)}${query === '' ? '' : `?${query}`}`;
  const lines = [
    method === 'GET' ? 'curl' : `curl -X ${method}`,
    `-H "Authorization: Bearer ${key ?? '$KEYRANK_API_KEY'}"`,
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quote(JSON.stringify(body))}`]),
    quote(address),
  ];
  return lines.join(' \\\n  ');
}

/** For a POSIX shell: nothing inside single quotes means anything but their end. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
