// The page for imports: a real file, sent in parts with pauses, checked, published and undone.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectAtEverySize } from './inspect.ts';
import { DESKTOP, openWebWorld, PHONE, type WebWorld } from './web-world.ts';

const HOSTILE_TERM = '<img src=x onerror=document.title=1> lamp';

let world: WebWorld;
let key: string;
let folder: string;
beforeAll(async () => {
  world = await openWebWorld(async () => {});
  key = await world.service.makeKey({ user: 'operator@example.com', isOperator: true });
  folder = join(world.service.dataDirectory, '..', 'reports');
  await mkdir(folder, { recursive: true });
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

async function writeReport(name: string, rows: number): Promise<string> {
  const lines = Array.from(
    { length: rows },
    (_, i) => `weekly,45-2026,${i === 1 ? HOSTILE_TERM : `term ${i}`},${i + 1}\n`,
  );
  const path = join(folder, name);
  await writeFile(path, `period_type,period,search_term,rank\n${lines.join('')}weekly,45-2026,broken,none\n`);
  return path;
}

describe('imports', () => {
  it('are sent, checked, read otherwise, published, undone, and say what was odd', async () => {
    await using watched = await world.open('/periods', { key, ...DESKTOP });
    const { page, problems } = watched;
    await page.getByRole('link', { name: 'Import reports', exact: true }).click();
    await page.getByRole('heading', { name: 'Data / Import' }).waitFor();
    await page.getByText('Nothing was imported here yet.').waitFor();
    await inspectAtEverySize(watched);

    await page.getByText('How the files are read').click();
    await page.getByLabel('Marketplace').fill('US');
    await page.getByLabel('Report files').setInputFiles(await writeReport('ranks.csv', 40));
    // One of 41 is more than one percent.
    await page.getByText(/Line 42: 2\.44 % of the rows cannot be read/).waitFor();
    await page.getByText('rank is not a whole number').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Rejects of ranks.csv' }).click();
    expect((await download).suggestedFilename()).toBe('ranks-rejects.csv');
    await page.getByRole('button', { name: 'Read it otherwise' }).click();
    const card = page.locator('.import-card');
    await card.getByLabel('Bad rows allowed, %').fill('5');
    await card.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('Checked: waits for you').waitFor();
    await card.getByText('US W45, 1–7 Nov 2026').waitFor();
    await card.getByText('would be new, 40 keywords.').waitFor();
    await card.getByText(HOSTILE_TERM).first().waitFor();
    await inspectAtEverySize(watched);

    // By keyboard.
    await page.getByRole('button', { name: 'Publish ranks.csv' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo the import of ranks.csv' }).waitFor();
    await page.getByText(/Published .* by operator@example\.com: US W45/).waitFor();
    await inspectAtEverySize(watched);
    await page.getByRole('button', { name: 'Undo the import of ranks.csv' }).click();
    await page.getByRole('button', { name: 'Withdraw it' }).click();
    await page.getByText(/^Undone/).waitFor();
    expect(problems).toEqual([]);
    await expect.poll(() => page.title()).toBe('Import · keyrank');
  });

  it('go on after a failure, and after the page was closed, when the same file is chosen again', async () => {
    const path = await writeReport('large.csv', 150_000);
    await using first = await world.open('/imports', { key, ...DESKTOP });
    const sent: string[] = [];
    await first.page.route('**/content', async (route) => {
      const offset = route.request().headers()['upload-offset'] ?? '';
      sent.push(offset);
      // The first part arrives, the second breaks off once, and whatever follows is held back until the page is closed.
      if (sent.length === 2) return await route.abort('connectionreset');
      if (sent.length > 3) return;
      await route.continue();
    });
    await first.page.getByLabel('Report files').setInputFiles(path);
    await expect.poll(() => sent.length).toBe(4);
    expect(sent.slice(0, 3)).toEqual(['0', '1048576', '1048576']);
    await first.page.getByText(/of \d\.\d MB/).waitFor();
    await first[Symbol.asyncDispose]();

    await using second = await world.open('/imports', { key, ...PHONE });
    const { page } = second;
    await page.getByText('Choose the same file again to go on where it stopped.').waitFor();
    const resumed: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/content')) resumed.push(request.headers()['upload-offset'] ?? '');
    });
    await page.getByLabel('Report files').setInputFiles(path);
    await page.getByText('Checked: waits for you').waitFor();
    expect(Number(resumed[0])).toBeGreaterThan(1_048_576);
    await page.getByText('150,001 rows').waitFor();
    await page.getByRole('button', { name: 'Cancel large.csv' }).click();
    await page.getByText(/^Cancelled/).waitFor();
  });

  it('are dropped too, and what was imported long ago is shown on demand', async () => {
    const { operator } = world.service.database;
    await operator.query(
      `INSERT INTO imports (file_name, size_bytes, source, max_rejects, replaces_smaller, publishes_when_clean, state, place, host)
       SELECT 'old-' || n || '.csv', 5, 'search', 1, false, false, 'cancelled', gen_random_uuid(), 'node-a' FROM generate_series(1, 60) n`,
    );
    await using watched = await world.open('/imports', { key, ...DESKTOP });
    const { page, problems } = watched;
    const transfer = await page.evaluateHandle<string>(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['period_type,period,search_term,rank\\nweekly,45-2026,lamp,1\\n'], 'dropped.csv'));
      transfer.items.add(new File([], 'empty.csv'));
      return transfer;
    })()`);
    await page.dispatchEvent('.drop-zone', 'drop', { dataTransfer: transfer });
    await page.getByText('empty.csv: The file is empty.').waitFor();
    await page.getByRole('button', { name: 'Publish dropped.csv' }).waitFor();
    await page.getByRole('button', { name: 'Cancel dropped.csv' }).click();
    const rows = page.locator('.import-history > li');
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByRole('button', { name: 'Show older ones' }).click();
    await page.getByText('old-1.csv', { exact: true }).waitFor();
    await page.getByText('What was in it: one row').click();
    await page.getByText('would be new, one keyword.').waitFor();
    await inspectAtEverySize(watched);
    expect(problems).toEqual([]);
  });

  it('are for operators', async () => {
    await using watched = await world.open('/imports', DESKTOP);
    await watched.page.getByText('Reports are imported by operators.').waitFor();
    await watched.page.getByRole('link', { name: 'Data', exact: true }).first().click();
    await watched.page.getByText('There is no data yet.').waitFor();
  });
});
