// Links that people get: one that signs in, once, and one that invites. What stands behind # is taken out of the address at once, and
// nothing is done with it before a person says so: programs that look through mails open links too, and others send links of theirs.
import { signal } from '@preact/signals';
import { enterSession, signedOutBecause } from './session.ts';

/** What stands in a link that signs in, while its reader is asked. */
export const signInLink = signal<string | null>(null);

/** What stands in a link that invites, while it is looked at. */
export const invitation = signal<string | null>(null);

const FAILURES: Readonly<Record<string, string>> = {
  FORBIDDEN: 'The provider knows you, but no organization here does. Ask for an invitation.',
  UNAUTHORIZED: 'Signing in with the provider failed. Try again.',
  CONFLICT:
    'The account of this address is linked to somebody else at the provider, or the invitation is for another address.',
  RATE_LIMIT_EXCEEDED: 'There were too many attempts to sign in. Wait a few minutes.',
};

export function followPersonLink(): void {
  const params = new URLSearchParams(window.location.hash.slice(1));
  const [token, invited, failed] = ['sign-in', 'invitation', 'sign-in-failed'].map((name) => params.get(name));
  if (!token && !invited && !failed && !params.has('signed-in')) return;
  history.replaceState(null, '', window.location.pathname + window.location.search);
  if (token) signInLink.value = token;
  else if (invited) invitation.value = invited;
  else if (failed) signedOutBecause.value = FAILURES[failed] ?? 'Signing in failed. Try again.';
  // Whether there is a session the service says at the first question.
  else enterSession();
}

export function watchPersonLinks(): void {
  window.addEventListener('hashchange', followPersonLink);
}
