// Values of the API's parameters, as a program has them; the address bar holds text.
import { OPERATIONS } from './operations.ts';

export type ParameterValue = string | number | boolean | readonly string[];

export function readValue(path: string, name: string, texts: readonly string[]): ParameterValue {
  const [text = ''] = texts;
  switch (OPERATIONS[path]?.parameters[name]) {
    case 'texts':
      return texts;
    case 'flag':
      return text === 'true';
    case 'number':
      return Number(text);
    default:
      return text;
  }
}
