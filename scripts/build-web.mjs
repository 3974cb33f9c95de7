// Bundles web/ and puts a gzip and a Brotli form beside every text file, so that the server compresses nothing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const COMPRESSED = /\.(html|js|css|svg)$/;

export async function buildWeb({ root, outDir }) {
  await build({
    root: join(root, 'web'),
    configFile: false,
    logLevel: 'warn',
    // React's transform with Preact's functions; tsc checks the types apart.
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // The policy of the page allows no data: address but images, and every file has a name that may be kept for good.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  for (const name of readdirSync(outDir, { recursive: true })) {
    if (!COMPRESSED.test(name)) continue;
    const path = join(outDir, name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(
      `${path}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    );
  }
}
