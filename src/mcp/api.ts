// What the tools know of the service: its public API. Whoever serves them brings a way to call it, with the caller's key, so
// that a tool is checked, limited, counted and logged like any other request.

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With the query string. */
  readonly target: string;
  readonly body?: unknown;
}

export interface ApiAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ApiBody;
}

/** The envelope; what stands in it depends on the endpoint. */
export interface ApiBody {
  readonly data?: unknown;
  readonly error: ApiError | null;
  readonly [field: string]: unknown;
}

export interface ApiError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export type CallApi = (request: ApiRequest) => Promise<ApiAnswer>;

type QueryValue = string | number | boolean | readonly string[] | undefined;

/** A path with those parameters that have a value; lists are repeated. */
export function target(path: string, parameters: Readonly<Record<string, QueryValue>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}
