// A request as a program that uses the SDK.
import { OPERATIONS } from '../api/operations.ts';
import { type ParameterValue, readValue } from '../api/parameter-value.ts';
import type { Request } from '../api/request.ts';

/** Undefined where it is no plain question. */
export function writeSdkCall(
  { method = 'GET', path, segments = {}, params }: Request,
  key: string | undefined,
): string | undefined {
  const operation = OPERATIONS[path]?.name;
  if (!operation || method !== 'GET') return undefined;
  const names = [...new Set(params?.keys())];
  const lines = names.map((name) => `  ${name}: ${write(readValue(path, name, params?.getAll(name) ?? []))},\n`);
  const query = lines.length === 0 ? [] : [`{\n${lines.join('')}}`];
  return [
    "import { createKeyrank } from 'keyrank-sdk';",
    '',
    'const keyrank = createKeyrank({',
    `  baseUrl: ${write(window.location.origin)},`,
    `  apiKey: ${key === undefined ? 'process.env.KEYRANK_API_KEY' : write(key)},`,
    '});',
    `const { data } = await keyrank.${operation}(${[...Object.values(segments).map(write), ...query].join(', ')});`,
    'console.log(data);',
  ].join('\n');
}

function write(value: ParameterValue): string {
  if (typeof value === 'object') return `[${value.map(write).join(', ')}]`;
  if (typeof value !== 'string') return String(value);
  const inside = JSON.stringify(value).slice(1, -1);
  return `'${inside.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
