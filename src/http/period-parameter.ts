import { PERIOD_KEY_PATTERN } from '../domain/period.ts';
import { type Parameter, pattern } from './parameters.ts';

/** The key of a period, or one of the names that stand for one. Whether the period is visible is seen when the request is planned. */
export function periodParameter(description: string, names: readonly string[] = []): Parameter<string | undefined> {
  const alternatives = names.map((name) => `'${name}' or `).join('');
  return pattern(description, {
    rule: `${alternatives}a period key such as '05-2026'`,
    example: '05-2026',
    pattern: `^(${[...names, '[0-9]{1,3}-[0-9]{4}'].join('|')})$`,
    absent: undefined,
    read: (text) => (names.includes(text) || PERIOD_KEY_PATTERN.test(text) ? text : undefined),
  });
}
