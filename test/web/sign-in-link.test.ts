// Links with a key behind #: they sign in who is not, and never take the place of a key without asking.
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countAsked, type OpenOptions, openWebWorld, type WatchedPage, type WebWorld } from './web-world.ts';

const OWN = { organization: 'Acme', user: 'ada@acme.example', subscription: { plan: 'studio' } } as const;
const OTHER = { organization: 'Mallory & Co', user: 'mallory@evil.example', subscription: { plan: 'pro' } } as const;
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const WRONG_KEY = `krk_${'0'.repeat(36)}`;

let world: WebWorld;
let ownKey: string;
let otherKey: string;
beforeAll(async () => {
  world = await openWebWorld();
  ownKey = await world.service.makeKey(OWN);
  otherKey = await world.service.makeKey(OTHER);
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

function openLink(linkKey: string, options: OpenOptions = {}): Promise<WatchedPage> {
  return world.open(`/account#key=${linkKey}`, { key: ownKey, ...options });
}

/** The keys that the browser keeps: for good, and for the tab. */
async function keptKeys({ page }: WatchedPage) {
  const [device, tab] = await page.evaluate<[string[], string[]]>(
    '[Object.values(localStorage), Object.values(sessionStorage)]',
  );
  return { device, tab };
}

async function owner({ page }: WatchedPage): Promise<string> {
  return await page.locator('.account-owner').innerText();
}

describe('a link with a key, opened by someone who is not signed in', () => {
  it('signs in for the tab only, says as whom, and leaves the key in no address', async () => {
    await using watched = await openLink(otherKey, { key: null });
    const { page } = watched;
    await page.getByText('in this tab only: mallory@evil.example of Mallory & Co').waitFor();
    expect(page.url()).toBe(`${world.service.url}/account`);
    expect(await keptKeys(watched)).toEqual({ device: [], tab: [otherKey] });
    await page.goto(`${world.service.url}/periods`);
    await page.getByRole('heading', { name: 'Data' }).waitFor();
    await page.goBack();
    await page.locator('.account-owner').waitFor();
    expect(page.url()).toBe(`${world.service.url}/account`);
    expect(watched.asked.filter((target) => target.includes(otherKey))).toEqual([]);
    // Another tab knows nothing of it.
    const other = await page.context().newPage();
    await other.goto(`${world.service.url}/account`);
    await other.getByLabel('API key').waitFor();
  });

  it('is remembered on the device when the reader says so', async () => {
    await using watched = await openLink(otherKey, { key: null });
    await watched.page.getByRole('button', { name: 'Remember on this device' }).click();
    await expect.poll(() => keptKeys(watched)).toEqual({ device: [otherKey], tab: [] });
    await expect.poll(() => watched.page.getByRole('button', { name: 'Remember on this device' }).count()).toBe(0);
  });

  it.each([
    ['of the wrong form', 'nonsense', 'The link holds no key'],
    ['that the service refuses', WRONG_KEY, 'A valid API key is required.'],
  ])('with a key %s signs nobody in and says so', async (_name, key, message) => {
    await using watched = await openLink(key, { key: null });
    await watched.page.getByText(message).waitFor();
    await expect.poll(() => keptKeys(watched)).toEqual({ device: [], tab: [] });
    expect(watched.page.url()).toBe(`${world.service.url}/account`);
  });
});

describe('a link with another key, opened by someone who is signed in', () => {
  it.each([
    ['light on a desk', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
    ['dark on a phone', { ...PHONE, colorScheme: 'dark' }],
  ] as const)('asks, shows whose keys they are, and is accessible, %s', async (_name, options) => {
    await using watched = await openLink(otherKey, options);
    const { page } = watched;
    await page.getByText('mallory@evil.example of Mallory & Co').waitFor();
    await page.getByText('ada@acme.example of Acme').waitFor();
    await page.getByText(`${otherKey.slice(0, 10)}…`).waitFor();
    expect(page.url()).toBe(`${world.service.url}/account`);
    expect(await page.content()).not.toContain(otherKey);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run(document)');
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
    // Nothing but whose keys they are was asked.
    expect(new Set(watched.asked)).toEqual(new Set(['/v1/usage']));
    expect(await keptKeys(watched)).toEqual({ device: [ownKey], tab: [] });
    expect(watched.problems).toEqual([]);
  });

  it.each(['Enter', 'Escape'])('stays with the own key on %s', async (press) => {
    await using watched = await openLink(otherKey);
    const { page } = watched;
    await page.getByText('mallory@evil.example of Mallory & Co').waitFor();
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Keep my own key');
    await page.keyboard.press(press);
    expect(await owner(watched)).toBe('ada@acme.example of Acme');
    expect(await keptKeys(watched)).toEqual({ device: [ownKey], tab: [] });
  });

  it('takes the other key for the tab, and leaves what the device remembers', async () => {
    await using watched = await openLink(otherKey);
    const { page } = watched;
    await page.getByText('mallory@evil.example of Mallory & Co').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await owner(watched)).toBe('mallory@evil.example of Mallory & Co');
    expect(await keptKeys(watched)).toEqual({ device: [ownKey], tab: [otherKey] });
    const tab = await page.context().newPage();
    await tab.goto(`${world.service.url}/account`);
    await expect.poll(() => tab.locator('.account-owner').innerText()).toBe('ada@acme.example of Acme');
  });

  it('leaves everything on the screen of a phone while the key is in the tab only', async () => {
    await using watched = await openLink(otherKey, { ...PHONE, key: null });
    const { page } = watched;
    await page.getByRole('button', { name: 'Remember on this device' }).waitFor();
    await page.getByText('Next slot at').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
  });

  it('takes the other key for good when the reader ticks so', async () => {
    await using watched = await openLink(otherKey);
    const { page } = watched;
    await page.getByText('mallory@evil.example of Mallory & Co').waitFor();
    await page.getByLabel('Remember the key of the link on this device').check();
    await page.getByRole('button', { name: 'Use the key of the link' }).click();
    expect(await owner(watched)).toBe('mallory@evil.example of Mallory & Co');
    expect(await keptKeys(watched)).toEqual({ device: [otherKey], tab: [] });
  });

  it('is also asked about when the page is open already', async () => {
    await using watched = await world.open('/account', { key: ownKey });
    const { page } = watched;
    expect(await owner(watched)).toBe('ada@acme.example of Acme');
    await page.evaluate(`location.hash = 'key=${otherKey}'`);
    await page.getByText('mallory@evil.example of Mallory & Co').waitFor();
    expect(page.url()).toBe(`${world.service.url}/account`);
    await page.getByRole('button', { name: 'Keep my own key' }).click();
    expect(await owner(watched)).toBe('ada@acme.example of Acme');
  });

  it('says so when whose key it is cannot be told', async () => {
    const narrow = await world.service.makeKey({ ...OTHER, organization: 'Narrow', scopes: ['search'] });
    await using watched = await openLink(narrow);
    await watched.page.getByText("unknown. This API key lacks the scope 'account'.").waitFor();
    await watched.page.getByRole('button', { name: 'Use the key of the link' }).waitFor();
  });

  it.each([
    ['of the wrong form', 'nonsense', 'The link holds no key'],
    ['that the service refuses', WRONG_KEY, 'The key of the link is not valid. You are still signed in with your own.'],
  ])('with a key %s changes nothing and says so', async (_name, key, message) => {
    await using watched = await openLink(key);
    await watched.page.getByText(message).waitFor();
    expect(await owner(watched)).toBe('ada@acme.example of Acme');
    expect(await keptKeys(watched)).toEqual({ device: [ownKey], tab: [] });
  });

  it('takes the place of a key that is good no more without asking', async () => {
    await using watched = await openLink(otherKey, { key: WRONG_KEY });
    expect(await owner(watched)).toBe('mallory@evil.example of Mallory & Co');
    expect(await keptKeys(watched)).toEqual({ device: [], tab: [otherKey] });
  });
});

it('a link with the key that is in use asks nothing', async () => {
  await using watched = await openLink(ownKey);
  expect(await owner(watched)).toBe('ada@acme.example of Acme');
  expect(watched.page.url()).toBe(`${world.service.url}/account`);
  expect(countAsked(watched, '/v1/usage')).toBeGreaterThan(0);
  expect(await keptKeys(watched)).toEqual({ device: [ownKey], tab: [] });
});
