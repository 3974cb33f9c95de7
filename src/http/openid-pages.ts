// The two addresses that a browser passes on its way to an OpenID provider and back. What must come back with it stays in a cookie of
// that browser, for one journey; and nobody is sent anywhere but to the provider and to the page.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from '../domain/error.ts';
import type { OpenIdJourney, OpenIdProvider } from '../domain/openid.ts';
import { type ClientPlace, checkSameOrigin, readClientPlace } from './client-place.ts';
import type { Resources } from './resources.ts';
import { cookieName, presentCookie, readCookie } from './session-cookie.ts';
import { sessionCookie, signInRequest } from './v1/signed-in-answer.ts';

const OPENID_PATH = '/sign-in/openid';
const OPENID_CALLBACK_PATH = '/sign-in/openid/callback';

const COOKIE_SUFFIX = '-openid';
const JOURNEY_SECONDS = 600;
const MAX_INVITATION_CHARACTERS = 100;

interface Journey extends OpenIdJourney {
  /** Accepted by whoever comes back, if it is theirs. */
  readonly invitation?: string;
}

/** Returns the paths that are served. */
export function registerOpenId(app: FastifyInstance, resources: Resources): readonly string[] {
  const { openId } = resources;
  if (!openId) return [];
  app.get(OPENID_PATH, (request, reply) =>
    orToPage(reply, async () => {
      const place = readClientPlace(request.raw, resources);
      // Another site neither signs people in nor accepts an invitation for them.
      checkSameOrigin(place, { needsProof: false });
      signInRequest(place);
      await resources.signIns.countProviderAttempt(place);
      const { url, journey } = await openId.begin(place.origin + OPENID_CALLBACK_PATH);
      const invitation = new URL(request.url, place.origin).searchParams.get('invitation') ?? '';
      const kept: Journey = {
        ...journey,
        ...(/^[\w-]{20,}$/.test(invitation) && invitation.length < MAX_INVITATION_CHARACTERS && { invitation }),
      };
      reply.header('set-cookie', journeyCookie(place, kept));
      return url;
    }),
  );
  app.get(OPENID_CALLBACK_PATH, (request, reply) =>
    orToPage(reply, () => comeBack({ request, reply, resources, openId })),
  );
  return [OPENID_PATH, OPENID_CALLBACK_PATH];
}

async function comeBack({
  request,
  reply,
  resources,
  openId,
}: {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly resources: Resources;
  readonly openId: OpenIdProvider;
}): Promise<string> {
  const place = readClientPlace(request.raw, resources);
  const journey = readJourney(place);
  // Whatever comes of it, this journey is over.
  reply.header('set-cookie', journeyCookie(place, undefined));
  if (!journey) throw new RequestError('UNAUTHORIZED', 'This sign-in was not begun in this browser.');
  const person = await openId.finish(place.origin + request.url, journey);
  const { invitation } = journey;
  const token = await (invitation === undefined
    ? resources.signIns.withProvider(person, signInRequest(place))
    : resources.signIns.acceptAsVouched(invitation, person, signInRequest(place)));
  reply.header('set-cookie', [journeyCookie(place, undefined), sessionCookie(place, token)]);
  return '/#signed-in=1';
}

/** Sends the browser where the work says, and to the page when it fails. */
async function orToPage(reply: FastifyReply, work: () => Promise<string>): Promise<FastifyReply> {
  let target: string;
  try {
    target = await work();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    target = `/#sign-in-failed=${error.code}`;
  }
  return reply.header('referrer-policy', 'no-referrer').redirect(target, 302);
}

function journeyCookie({ cookieKind = 'loopback' }: ClientPlace, journey: Journey | undefined): string {
  const value = journey ? Buffer.from(JSON.stringify(journey)).toString('base64url') : '';
  return presentCookie({
    name: cookieName(cookieKind, COOKIE_SUFFIX),
    value,
    maxAgeSeconds: journey ? JOURNEY_SECONDS : 0,
  });
}

function readJourney({ cookies, cookieKind = 'loopback' }: ClientPlace): Journey | undefined {
  const text = readCookie(cookies, cookieName(cookieKind, COOKIE_SUFFIX));
  if (!text) return undefined;
  try {
    const { state, nonce, verifier, invitation } = JSON.parse(
      Buffer.from(text, 'base64url').toString(),
    ) as Partial<Journey>;
    const isWhole = [state, nonce, verifier].every((each) => typeof each === 'string' && each.length > 20);
    if (!isWhole) return undefined;
    return {
      state: state ?? '',
      nonce: nonce ?? '',
      verifier: verifier ?? '',
      ...(typeof invitation === 'string' && { invitation }),
    };
  } catch {
    return undefined;
  }
}
