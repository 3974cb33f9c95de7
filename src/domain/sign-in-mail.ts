import type { Mail } from './mailer.ts';

export function signInMail({ to, url }: { readonly to: string; readonly url: string }): Mail {
  return {
    to,
    subject: 'Sign in to keyrank',
    text: `Somebody, hopefully you, wants to sign in to keyrank with this address.\n\nOpen this link within 15 minutes; it works once:\n\n${url}\n\nIf it was not you, do nothing: without the link nobody comes in.\n`,
  };
}

export function invitationMail({
  to,
  url,
  organization,
  inviter,
}: {
  readonly to: string;
  readonly url: string;
  readonly organization: string;
  readonly inviter: string;
}): Mail {
  // One line: whoever names an organization does not write headers.
  const name = organization.replace(/\s+/g, ' ');
  return {
    to,
    subject: `You are invited to ${name} on keyrank`,
    text: `${inviter} invites you to the organization "${name}" on keyrank.\n\nOpen this link within 7 days to accept:\n\n${url}\n\nIf you do not know them, do nothing.\n`,
  };
}
