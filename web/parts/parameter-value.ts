// Values of the API's parameters, as a program has them; the address bar holds text.

const LISTS = new Set(['query', 'exclude_query', 'brand', 'product', 'category']);
const NUMBERS = new Set([
  ...['page', 'limit', 'offset', 'threshold'],
  ...['min_rank', 'max_rank', 'min_words', 'max_words'],
]);
const FLAGS = new Set(['exclude_nulls']);

export type ParameterValue = string | number | boolean | readonly string[];

export function readValue(name: string, texts: readonly string[]): ParameterValue {
  const [text = ''] = texts;
  if (LISTS.has(name)) return texts;
  if (FLAGS.has(name)) return text === 'true';
  return NUMBERS.has(name) ? Number(text) : text;
}
