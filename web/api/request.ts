import type { ApiPath } from './client.ts';

/** What a view asked the API for. */
export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As the API writes it: `/v1/products/{asin}`. */
  readonly path: string;
  /** What stands for the names in braces. */
  readonly segments?: Readonly<Record<string, string>>;
  readonly params?: URLSearchParams;
  readonly body?: unknown;
}

/** The path with its names filled in. */
export function fillPath({ path, segments = {} }: Pick<Request, 'path' | 'segments'>): string {
  return path.replace(/\{(\w+)\}/g, (braces, name: string) => {
    const value = segments[name];
    return value === undefined ? braces : encodeURIComponent(value);
  });
}

/** With its parameters behind it. */
export function pathOf(request: Request): ApiPath {
  const query = request.params?.toString() ?? '';
  return `${fillPath(request)}${query === '' ? '' : `?${query}`}` as ApiPath;
}
