// The API reference in a real browser: whole, quiet, and able to ask the service with the reader's own key.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { openWebWorld, type WebWorld } from './web-world.ts';

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld();
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

describe('/docs', () => {
  it('has the way back to the page, above all that scrolls', async () => {
    await using watched = await world.open('/docs', { viewport: { width: 1440, height: 900 } });
    const { page } = watched;
    await page.getByRole('heading', { name: 'keyrank' }).first().waitFor();
    await page.mouse.wheel(0, 3000);
    await page.getByRole('link', { name: '← keyrank' }).click();
    await page.getByText('Climbing').first().waitFor();
    await page.goto(`${world.service.url}/docs/errors`);
    await page.getByRole('link', { name: 'keyrank', exact: true }).click();
    await page.getByText('Climbing').first().waitFor();
    expect(watched.problems).toEqual([]);
  });

  it('shows every endpoint, asks nobody but its own server, and breaks no rule of its policy', async () => {
    await using watched = await world.open('/docs', { key: null, viewport: { width: 1440, height: 900 } });
    const { page, problems, failures } = watched;
    const sidebar = page.getByRole('navigation').first();
    for (const tag of new Set(ENDPOINTS.map((endpoint) => endpoint.tag))) {
      const group = sidebar.locator('button[aria-expanded]').filter({ hasText: new RegExp(`^${tag}`) });
      if ((await group.getAttribute('aria-expanded')) === 'false') await group.click();
      for (const { summary } of ENDPOINTS.filter((endpoint) => endpoint.tag === tag)) {
        await sidebar.getByText(summary, { exact: true }).first().waitFor({ state: 'attached' });
      }
      // What is open is drawn.
      await group.click();
    }
    const { tag: lastTag, summary: last } = ENDPOINTS.at(-1) ?? { tag: '', summary: '' };
    await sidebar
      .locator('button[aria-expanded]')
      .filter({ hasText: new RegExp(`^${lastTag}`) })
      .click();
    await sidebar.getByText(last, { exact: true }).first().click();
    await page.getByRole('heading', { name: last }).first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(problems).toEqual([]);
    expect(failures).toEqual([]);
    const lines = (await page.locator('body').innerText()).split('\n').map((line) => line.trim());
    for (const word of ['Ask AI', 'Open API Client', 'Share', 'Generate MCP']) expect(lines).not.toContain(word);
  });

  it("sends a request with the key of whoever is signed in on the page, and shows the service's answer", async () => {
    await using watched = await world.open('/', { viewport: { width: 1440, height: 900 } });
    const { page, problems } = watched;
    await page.getByText('Climbing').first().waitFor();
    await page.goto(`${world.service.url}/docs#tag/account/GET/v1/usage`);
    const answered = page.waitForResponse((response) => response.url() === `${world.service.url}/v1/usage`);
    await page.getByRole('button', { name: /test request.*\/v1\/usage\)/i }).click();
    await page
      .getByRole('button', { name: /^send(?! a )/i })
      .first()
      .click();
    expect((await answered).status()).toBe(200);
    await expect.poll(() => page.getByRole('dialog').first().innerText()).toContain('200');
    expect(problems).toEqual([]);
  });
});
