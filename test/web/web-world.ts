// The page in a real browser, in front of the real service with a small set of demo data.
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { vi } from 'vitest';
import { publishDemoData } from '../support/demo-data.ts';
import { startTestService, type TestService } from '../support/service.ts';

export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
export const TABLET = { viewport: { width: 820, height: 1100 } };
export const DESKTOP = { viewport: { width: 1440, height: 900 } };

const EVENTS_PATH = '/v1/events';
/** A browser on a busy machine takes its time. */
const STEP_TIMEOUT_MS = 60_000;
vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

/** Terms and titles are text from strangers. */
export const HOSTILE_TERM = '<img src=x onerror=document.title=1> lamp';
const HOSTILE_TITLE = '<script>document.title=1</script>';
/** The row of the newest month that gets them. */
const HOSTILE_RANK = 20;
/** Of the row below it: a name that ASCII cannot say. */
export const ACCENTED_TERM = 'café';

export interface WebWorld extends AsyncDisposable {
  readonly service: TestService;
  readonly browser: Browser;
  /** Of an organization with the Studio plan. */
  readonly key: string;
  /** A page that is signed in and shows the path. */
  open(path: string, options?: OpenOptions): Promise<WatchedPage>;
}

export interface OpenOptions extends BrowserContextOptions {
  readonly key?: string | null;
  /** Whether it is told of new data and digests. A page that is has a connection open all the time, and is never at rest. */
  readonly hearsNews?: boolean;
}

export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts and of the page's policy, and requests that left the origin. */
  readonly problems: string[];
  /** Requests to the API that were answered with a failure, as `404 /v1/…`. */
  readonly failures: string[];
  /** Paths of the API that were asked. */
  readonly asked: string[];
}

/** With a small set of demo data, or what the test publishes itself. */
export async function openWebWorld(
  publish: (service: TestService) => Promise<void> = (service) => publishDemoData(service, makeHostile),
  settings: Record<string, string> = {},
): Promise<WebWorld> {
  const service = await startTestService(settings);
  await publish(service);
  const key = await service.makeKey({ subscription: { plan: 'studio' } });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
      ...['--disable-sync', '--no-first-run'],
    ],
  });
  return {
    service,
    browser,
    key,
    open: (path, options = {}) => openPage({ service, browser, path, options: { key, ...options } }),
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await service[Symbol.asyncDispose]();
    },
  };
}

function makeHostile(report: string): string {
  const row = new RegExp(`^"${HOSTILE_RANK}","[^"]*"(.*?",")B0[A-Z0-9]{8}","[^"]*"`, 'm');
  // An ASIN of its own, because the last report that names a product gives it its title.
  return report
    .replace(row, `"${HOSTILE_RANK}","${HOSTILE_TERM}"$1B0HOSTILE1","${HOSTILE_TITLE}"`)
    .replace(new RegExp(`^"${HOSTILE_RANK + 1}","[^"]*"`, 'm'), `"${HOSTILE_RANK + 1}","${ACCENTED_TERM}"`);
}

async function openPage(world: {
  readonly service: TestService;
  readonly browser: Browser;
  readonly path: string;
  readonly options: OpenOptions;
}): Promise<WatchedPage> {
  const { key, hearsNews = false, ...contextOptions } = world.options;
  const { url } = world.service;
  const context = await world.browser.newContext({
    ...(key ? { storageState: { cookies: [], origins: [signedIn(url, key)] } } : {}),
    // Nothing that is tested moves, and drawing it takes the processor's time.
    reducedMotion: 'reduce',
    ...contextOptions,
  });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  if (!hearsNews) await context.route(`${url}${EVENTS_PATH}*`, (route) => route.abort());
  const page = await context.newPage();
  const watched: WatchedPage = {
    page,
    problems: [],
    failures: [],
    asked: [],
    [Symbol.asyncDispose]: () => context.close(),
  };
  page.on('pageerror', (error) => watched.problems.push(String(error)));
  page.on('console', (message) => {
    // Failed answers are watched by themselves.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if ((message.type() === 'error' || message.type() === 'warning') && !isAnswer)
      watched.problems.push(message.text());
  });
  page.on('request', (request) => {
    const target = request.url();
    if (!target.startsWith(url) && !/^(data|blob):/.test(target)) watched.problems.push(`request to ${target}`);
    if (target.startsWith(`${url}/v1/`) && !target.startsWith(url + EVENTS_PATH))
      watched.asked.push(target.slice(url.length));
  });
  page.on('response', (response) => {
    const target = response.url().slice(url.length);
    if (response.status() >= 400) watched.failures.push(`${response.status()} ${target}`);
  });
  await page.goto(`${url}${world.path}`);
  return watched;
}

/** The page of someone who has asked for the key to be remembered. */
function signedIn(origin: string, key: string) {
  return { origin, localStorage: [{ name: 'keyrank.key', value: key }] };
}

/** How many requests to this path were made. */
export function countAsked({ asked }: WatchedPage, path: string): number {
  return asked.filter((target) => target.split('?')[0] === path).length;
}

export function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, i) => i === 0 || number >= (numbers[i - 1] ?? 0));
}
