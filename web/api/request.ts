/** What a view asked the API for. */
export interface Request {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly params?: URLSearchParams;
  readonly body?: unknown;
}
