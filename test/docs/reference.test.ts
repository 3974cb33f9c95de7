import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openProgram } from '../../src/cli/commands.ts';
import { SETTINGS } from '../../src/config.ts';
import { commandsPage, settingsPage } from './reference-pages.ts';

describe('docs/reference', () => {
  it.each([
    ['settings.md', async () => settingsPage(SETTINGS)],
    ['commands.md', async () => commandsPage(await openProgram([]))],
  ] as const)('%s says what the code says (npm run reference writes it)', async (name, make) => {
    const path = new URL(`../../docs/reference/${name}`, import.meta.url);
    const made = await make();
    if (process.env.UPDATE === '1') await writeFile(path, made);
    expect(await readFile(path, 'utf8')).toBe(made);
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
