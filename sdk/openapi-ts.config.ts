// How src/generated is made from openapi.json: `npm run generate:sdk`.
import type { UserConfig } from '@hey-api/openapi-ts';

export default {
  input: 'openapi.json',
  output: {
    path: 'sdk/src/generated',
    entryFile: false,
    module: { extension: '.ts' },
    // What is made must not depend on whose compiler settings stand nearby.
    tsConfigPath: null,
  },
  plugins: [
    '@hey-api/typescript',
    { name: '@hey-api/sdk', responseStyle: 'data' },
    { name: '@hey-api/client-fetch', throwOnError: true },
  ],
} satisfies UserConfig;
