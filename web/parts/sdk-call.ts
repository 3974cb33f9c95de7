// A request as a program that uses the SDK.
import type { Request } from './copy-as.tsx';
import { type ParameterValue, readValue } from './parameter-value.ts';

const OPERATIONS: Readonly<Record<string, string>> = {
  '/v1/search/keywords': 'searchKeywords',
  '/v1/search/keyword': 'getSearchKeyword',
  '/v1/trends/change-by': 'listRankChanges',
  '/v1/trends/new': 'listNewTerms',
  '/v1/trends/social-media-ranks': 'listSocialMediaRanks',
  '/v1/tracked-keywords': 'listTrackedKeywords',
  '/v1/periods': 'listPeriods',
  '/v1/usage': 'getUsage',
};

/** Undefined where no view leads. */
export function writeSdkCall({ method = 'GET', path, params }: Request, key: string | undefined): string | undefined {
  const operation = OPERATIONS[path];
  if (!operation || method !== 'GET') return undefined;
  const names = [...new Set(params?.keys())];
  const lines = names.map((name) => `  ${name}: ${write(readValue(name, params?.getAll(name) ?? []))},\n`);
  return [
    "import { createKeyrank } from 'keyrank-sdk';",
    '',
    'const keyrank = createKeyrank({',
    `  baseUrl: ${write(window.location.origin)},`,
    `  apiKey: ${key === undefined ? 'process.env.KEYRANK_API_KEY' : write(key)},`,
    '});',
    `const { data } = await keyrank.${operation}(${lines.length === 0 ? '' : `{\n${lines.join('')}}`});`,
    'console.log(data);',
  ].join('\n');
}

function write(value: ParameterValue): string {
  if (typeof value === 'object') return `[${value.map(write).join(', ')}]`;
  if (typeof value !== 'string') return String(value);
  const inside = JSON.stringify(value).slice(1, -1);
  return `'${inside.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
