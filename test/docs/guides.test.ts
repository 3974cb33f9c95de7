// The commands of the guides, run in their order, each guide in a folder of its own. Blocks in `sh` are run; what needs root, containers or a
// proxy is in `console` or in the language of its configuration.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type GuideWorld, openGuideWorld } from './guide-world.ts';
import { type CodeBlock, codeBlocks, listDocuments, readDocument } from './markdown.ts';

// Imports run at low priority, so on a busy machine they take their time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const guides = listDocuments()
  .filter((path) => path.startsWith('docs/guides/') || path === 'docs/tracking.md')
  .map((path) => [path, codeBlocks(readDocument(path))] as const)
  .filter(([, blocks]) => blocks.some(isRun));

function isRun({ language }: CodeBlock): boolean {
  return language === 'sh' || language === 'python';
}

describe('the guides', () => {
  it('are all looked at', () => {
    expect(guides.map(([path]) => path)).toEqual(
      expect.arrayContaining(['docs/guides/first-import.md', 'docs/guides/python.md', 'docs/tracking.md']),
    );
    expect(guides.flatMap(([, blocks]) => blocks.filter(isRun)).length).toBeGreaterThan(20);
  });
});

let world: GuideWorld;
beforeAll(async () => {
  world = await openGuideWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

describe.each(guides)('%s', (_path, blocks) => {
  let folder: string;
  beforeAll(async () => {
    folder = await world.openFolder();
    const [csv] = blocks.filter(({ language }) => language === 'csv');
    if (csv) await writeFile(join(folder, 'my-ranks.csv'), csv.text);
  });

  it.each(blocks.filter(isRun).map((block) => [block.line, block] as const))(
    'works from line %i on',
    async (_line, { language, text }) => {
      const { code, output } =
        language === 'python'
          ? await world.run('python3', ['-c', text], folder)
          : await world.run('bash', ['-euo', 'pipefail', '-c', text], folder);
      expect(code, output).toBe(0);
    },
  );
});
