// The page of a share. It reads what it shows from the API by itself; here it is only known whether the link has ended.
import type { FastifyInstance } from 'fastify';
import { findSharer } from './auth.ts';
import type { Resources } from './resources.ts';
import { openSharePage, type WebFiles } from './web-files.ts';

export const SHARE_PAGE_PATH = '/s/{token}';

export function registerSharePage(
  app: FastifyInstance,
  { resources, webFiles }: { readonly resources: Resources; readonly webFiles: WebFiles },
): void {
  const send = openSharePage(webFiles);
  app.get<{ Params: { token: string } }>('/s/:token', async (request, reply) => {
    // While that cannot be known, the page says what is wrong.
    const isOpen = await findSharer(request.params.token, resources).then(Boolean, () => true);
    return send(request, reply.code(isOpen ? 200 : 404));
  });
}
