// An organization with one member of each role, all of whom have passwords, and a mailer that keeps what it is given.

import { SCOPES } from '../../src/domain/account.ts';
import type { Mail, Mailer } from '../../src/domain/mailer.ts';
import { ROLES, type Role } from '../../src/domain/role.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { createUser, setPassword } from '../../src/postgres/users.ts';
import { Person } from '../support/person.ts';
import type { TestService } from '../support/service.ts';

export const PASSWORD = 'correct horse battery staple';

export class KeptMails implements Mailer {
  readonly mails: Mail[] = [];
  #waiting: (() => void)[] = [];

  async send(mail: Mail): Promise<void> {
    this.mails.push(mail);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** The token of the link in the mail that comes next, or has come. */
  async nextToken(to: string): Promise<string> {
    for (;;) {
      const mail = this.mails.find((each) => each.to === to);
      if (mail) {
        this.mails.splice(this.mails.indexOf(mail), 1);
        return /#(?:sign-in|invitation)=([\w-]+)/.exec(mail.text)?.[1] ?? '';
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

let count = 0;

export interface Team {
  readonly organization: string;
  readonly emails: Readonly<Record<Role, string>>;
}

/** Passwords take a while to make; with none, sessions are made by links. */
export async function makeTeam({ database: { operator } }: TestService, { hasPasswords = false } = {}): Promise<Team> {
  count += 1;
  const organization = `Team ${count}`;
  await createOrganization(operator, {
    name: organization,
    subscription: { plan: 'owner', status: 'active', periodEnd: null },
  });
  for (const role of ROLES) {
    const email = emailOf(role);
    await createUser(operator, { email, organization, role, isOperator: false });
    if (hasPasswords) await setPassword(operator, { email, password: PASSWORD });
  }
  return {
    organization,
    emails: Object.fromEntries(ROLES.map((role) => [role, emailOf(role)])) as Record<Role, string>,
  };
}

function emailOf(role: Role): string {
  return `${role}${count}@example.com`;
}

/** Signed in without a password. */
export async function enter(
  service: { readonly url: string; readonly database: Pick<TestService['database'], 'operator'> },
  email: string,
): Promise<Person> {
  const { makeSignInLink } = await import('../../src/postgres/users.ts');
  const path = await makeSignInLink(service.database.operator, email);
  const person = new Person(service);
  const answer = await person.ask('/v1/sign-in/links/redeem', { body: { token: path.split('=')[1] ?? '' } });
  if (answer.status !== 200) throw new Error(answer.text);
  return person;
}

export async function makeKeyOf(
  service: TestService,
  { organization, email }: { organization: string; email: string },
): Promise<string> {
  const { key } = await createApiKey(service.database.operator, {
    organization,
    userEmail: email,
    scopes: SCOPES,
    expiresAt: null,
  });
  return key;
}
