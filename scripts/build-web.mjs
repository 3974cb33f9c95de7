// Bundles web/ and puts a gzip and a Brotli form beside every text file, so that the server compresses nothing.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { collectPackages, LIST_NAME } from './bundled-packages.mjs';

/** Files above this size would take seconds at the best quality, for a few percent. */
const LARGE_BYTES = 1024 * 1024;
const QUALITY_OF_LARGE = 6;
// The bundle of the API reference for browsers, as its package for Fastify carries it: without the 200 packages that it was
// made from.
const SCALAR = join(dirname(fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference'))), 'js/standalone.js');

const COMPRESSED = /\.(html|js|css|svg)$/;

/** Each is built by itself, so that none waits for a file that two of them share. The one with the largest file is first. */
const PAGES = ['reference.html', 'index.html'];

export async function buildWeb({ root, outDir }) {
  const packages = new Set();
  const compressing = new Map();
  for (const page of PAGES) {
    await buildPage(page, { root: join(root, 'web'), outDir, packages });
    // Beside the next page, in threads of zlib.
    const names = (await readdir(outDir, { recursive: true })).filter((name) => COMPRESSED.test(name));
    for (const name of names) if (!compressing.has(name)) compressing.set(name, compress(join(outDir, name)));
  }
  await writeFile(join(outDir, '..', LIST_NAME), `${JSON.stringify([...packages].sort(), null, 2)}\n`);
  await Promise.all(compressing.values());
}

async function compress(path) {
  const bytes = await readFile(path);
  const params = {
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    ...(bytes.length > LARGE_BYTES && { [constants.BROTLI_PARAM_QUALITY]: QUALITY_OF_LARGE }),
  };
  await Promise.all([
    promisify(gzip)(bytes, { level: 9 }).then((smaller) => writeFile(`${path}.gz`, smaller)),
    promisify(brotliCompress)(bytes, { params }).then((smaller) => writeFile(`${path}.br`, smaller)),
  ]);
}

async function buildPage(page, { root, outDir, packages }) {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    // React's transform with Preact's functions; tsc checks the types apart.
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    plugins: [collectPackages(packages)],
    resolve: { alias: [{ find: /^scalar-standalone/, replacement: SCALAR }] },
    build: {
      outDir,
      emptyOutDir: page === PAGES[0],
      rollupOptions: { input: join(root, page) },
      target: 'es2022',
      // The policy of the page allows no data: address but images, and every file has a name that may be kept for good.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}
