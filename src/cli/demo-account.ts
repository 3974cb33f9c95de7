// The demo's organization and key. A key's text is never stored by the service; the demo keeps its own in a file that only
// the operator can read, so that the line printed at the first start still works at the second.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SCOPES } from '../domain/account.ts';
import { type ApiKeyText, parseApiKey } from '../domain/api-key.ts';
import { createApiKey, isApiKeyEnabled } from '../postgres/api-keys.ts';
import { createOrganization, findOrganization } from '../postgres/organizations.ts';
import type { Pool } from '../postgres/pool.ts';
import { createUser, setPassword } from '../postgres/users.ts';
import type { Operator } from './operator.ts';

const DEMO_ORGANIZATION = 'Demo';
const PASSWORD_BYTES = 12;
const DEMO_USER = 'demo@keyrank.example';

/** The password of the demo user, who is an operator too; made at the first start and kept beside the key. */
export async function ensureDemoPassword({ config, pool }: Operator): Promise<DemoLogin> {
  const file = join(config.dataDirectory, 'demo-password');
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (kept !== '') return { email: DEMO_USER, password: kept };
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  await createUser(pool, { email: DEMO_USER, organization: DEMO_ORGANIZATION, role: 'owner', isOperator: true });
  await setPassword(pool, { email: DEMO_USER, password });
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  return { email: DEMO_USER, password };
}

export interface DemoLogin {
  readonly email: string;
  readonly password: string;
}

/** The key of the demo organization; both are made if they are not there. */
export async function ensureDemoAccount({ config, pool }: Operator): Promise<ApiKeyText> {
  const file = join(config.dataDirectory, 'demo-key');
  const kept = parseApiKey((await readFile(file, 'utf8').catch(() => '')).trim());
  if (kept && (await isApiKeyEnabled(pool, kept))) return kept;
  await ensureDemoOrganization(pool);
  // Keys from before somebody became an operator do not operate.
  await createUser(pool, { email: DEMO_USER, organization: DEMO_ORGANIZATION, role: 'owner', isOperator: true });
  const { key } = await createApiKey(pool, {
    organization: DEMO_ORGANIZATION,
    userEmail: DEMO_USER,
    scopes: SCOPES,
    expiresAt: null,
  });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}

async function ensureDemoOrganization(pool: Pool): Promise<void> {
  if (await findOrganization(pool, DEMO_ORGANIZATION)) return;
  const subscription = { plan: 'owner', status: 'active', periodEnd: null } as const;
  await createOrganization(pool, { name: DEMO_ORGANIZATION, subscription });
}
