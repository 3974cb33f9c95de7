// Which packages the page ships, as the bundler knows it: every module of every chunk, and the files that are copied as they are.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Beside the page and not in it, where it would be served. */
export const LIST_NAME = 'web-packages.json';

/** Paths as in package-lock.json, such as node_modules/preact. */
export function collectPackages(packages) {
  return {
    name: 'bundled-packages',
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        const sources = output.type === 'chunk' ? Object.keys(output.modules) : output.originalFileNames;
        for (const source of sources) {
          const path = packagePath(source);
          if (path) packages.add(path);
        }
      }
    },
  };
}

function packagePath(source) {
  // What the bundler itself adds has a name that no file can have.
  if (source.startsWith('\0vite/')) return 'node_modules/vite';
  if (source.startsWith('\0')) return 'node_modules/rollup';
  return /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
}

/** A bundle of another bundler within a package: its own first lines say what it is. */
export function nestedBundle(root) {
  const path = 'node_modules/@scalar/fastify-api-reference';
  const head = readFileSync(join(root, path, 'dist/js/standalone.js'), 'utf8').slice(0, 1000);
  const [, name, version] = /^ \* (@scalar\/api-reference) (\d+\.\d+\.\d+)$/m.exec(head) ?? [];
  if (!name)
    throw new Error(`${path} does not say what its bundle is: look at it, and mend scripts/bundled-packages.mjs`);
  return { path, name, version };
}
