import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openProgram } from '../../src/cli/commands.ts';
import { SETTINGS } from '../../src/config.ts';
import { SEARCH_FILTERS } from '../../src/domain/search-filter.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { TOOLS } from '../../src/mcp/mcp-server.ts';
import { pageOperations } from './page-operations.ts';
import { clickHousePage, commandsPage, settingsPage } from './reference-pages.ts';

async function expectWritten(path: string, made: string): Promise<void> {
  const file = new URL(`../../${path}`, import.meta.url);
  if (process.env.UPDATE === '1') await writeFile(file, made);
  expect(await readFile(file, 'utf8')).toBe(made);
}

describe('web/api/operations.ts', () => {
  it('says what the API and the tools take (npm run reference writes it)', async () => {
    const made = pageOperations({ endpoints: ENDPOINTS, filters: SEARCH_FILTERS, tools: TOOLS });
    await expectWritten('web/api/operations.ts', made);
  });
});

describe('docs/reference', () => {
  it.each([
    ['settings.md', async () => settingsPage(SETTINGS)],
    ['commands.md', async () => commandsPage(await openProgram([]))],
    ['clickhouse.md', async () => clickHousePage()],
  ] as const)('%s says what the code says (npm run reference writes it)', async (name, make) => {
    await expectWritten(`docs/reference/${name}`, await make());
  });

  it('knows every command there is', async () => {
    const page = commandsPage(await openProgram([]));
    for (const command of [
      'serve',
      'import',
      'key create',
      'organization set-plan',
      'backup',
      'restore',
      'demo generate',
    ])
      expect(page).toContain(`\n## keyrank ${command}\n`);
  });
});
