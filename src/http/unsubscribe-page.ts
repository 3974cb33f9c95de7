// Ends mail to a person by the signed link that every mail carries, without signing in. Opening the link changes nothing, because
// programs that look through mail open every link; the button does, and so does the one click of a mail program (RFC 8058).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { MailUnsubscription } from './resources.ts';

export const UNSUBSCRIBE_PATH = '/unsubscribe';
export const UNSUBSCRIBE_METHODS = ['GET', 'POST'] as const;

const STYLE = `
  :root { color-scheme: light dark; background: Canvas; color: CanvasText; }
  body { font: 16px/1.55 system-ui, sans-serif; max-width: 30rem; margin: 18vh auto 3rem; padding: 0 1rem; }
  h1 { font-size: 1.4rem; } a { color: LinkText; }
  button { font: inherit; font-weight: 600; padding: .6rem 1.1rem; border: 0; border-radius: 7px; background: #2f5fd0; color: #fff; cursor: pointer; }`;
/** The form leads back here, and nothing else is asked for. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export function registerUnsubscription(
  app: FastifyInstance,
  { unsubscription }: { readonly unsubscription: MailUnsubscription },
): void {
  app.route({
    method: [...UNSUBSCRIBE_METHODS],
    url: UNSUBSCRIBE_PATH,
    handler: async (request, reply) => {
      const token = tokenOf(request);
      const userId = unsubscription.findUser(token);
      if (userId === undefined) {
        return answer(
          reply.code(404),
          'This link is not complete',
          'Open it from the mail again, or sign in and change it there.',
        );
      }
      if (request.method === 'POST') {
        await unsubscription.end(userId);
        return answer(reply, 'No more mails', 'You can switch them on again in your account, under Notifications.');
      }
      // The token has letters, digits, hyphens and underscores alone.
      const button = `<form method="post" action="${UNSUBSCRIBE_PATH}?token=${token}"><button>Unsubscribe</button></form>`;
      return answer(reply, 'Stop mails from keyrank?', 'Digests stay on the page; chats are told as before.', button);
    },
  });
}

function tokenOf(request: FastifyRequest): string {
  const given = new URL(request.raw.url ?? '', 'http://page').searchParams.get('token') ?? '';
  return /^[\w-]{64}$/.test(given) ? given : '';
}

function answer(reply: FastifyReply, title: string, text: string, more = ''): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
    .send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · keyrank</title>
<style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${text}</p>${more}<p><a href="/account">Go to your account</a></p></main></body>
</html>
`);
}
