// What holds for every view at every size: it is accessible in both colour schemes, nothing stands over the edge, and no word is
// broken to fit a narrow place.
import axe from 'axe-core';
import { expect } from 'vitest';
import { DESKTOP, PHONE, TABLET, type WatchedPage } from './web-world.ts';

export async function violationsOf({ page }: WatchedPage, options: axe.RunOptions = {}): Promise<unknown> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const asked = JSON.stringify({ ...options, resultTypes: ['violations'] });
  const result = await page.evaluate<axe.AxeResults>(`axe.run(document, ${asked})`);
  return result.violations.map(({ id, nodes }) => [id, nodes.map(({ html, any }) => [html, any[0]?.message])]);
}

/** Pixels by which anything stands over the left or right edge. */
export async function overhangOf({ page }: WatchedPage): Promise<number> {
  const boxes = await page.getByRole('dialog').or(page.locator('main')).all();
  const width = page.viewportSize()?.width ?? 0;
  const over = await Promise.all(
    boxes.map(async (box) => {
      const { x, width: boxWidth } = (await box.boundingBox()) ?? { x: 0, width: 0 };
      return Math.max(0, -x, x + boxWidth - width);
    }),
  );
  // A phone that is touched makes its window as wide as the page, so the window says nothing.
  const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth');
  return Math.max(0, scrolled - width, ...over);
}

/** Longer ones, and those with other signs in them, may be broken where they fit no line. */
const UNBREAKABLE = /^[\p{L}\p{N}]+(,\d{3})*[.:…]?$/u;
const MAX_WORD_CHARACTERS = 16;

/** Words that stand on two lines, with the text that they are in. */
export async function brokenWordsOf({ page }: WatchedPage): Promise<unknown> {
  return await page.evaluate(`(() => {
    const broken = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement.closest('.spoken, pre, code, textarea, option, script, style')) continue;
      for (const { 0: word, index } of text.data.matchAll(/\\S+/g)) {
        if (word.length > ${MAX_WORD_CHARACTERS} || !${UNBREAKABLE}.test(word)) continue;
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
        if (lines.size > 1) broken.push([word, text.data.trim().slice(0, 60)]);
      }
    }
    return broken;
  })()`);
}

/** Of a view that is there. Only colours differ between the schemes. */
export async function inspect(watched: WatchedPage, size: string): Promise<void> {
  const { page } = watched;
  expect(await violationsOf(watched), size).toEqual([]);
  expect(await overhangOf(watched), size).toBe(0);
  expect(await brokenWordsOf(watched), size).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violationsOf(watched, { runOnly: ['color-contrast'] }), `${size}, dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** At every size, which it is left at as it was. */
export async function inspectAtEverySize(watched: WatchedPage): Promise<void> {
  const before = watched.page.viewportSize() ?? DESKTOP.viewport;
  for (const { viewport } of [DESKTOP, TABLET, PHONE]) {
    await watched.page.setViewportSize(viewport);
    await inspect(watched, `${viewport.width}`);
  }
  await watched.page.setViewportSize(before);
}
