import { InvalidArgumentError } from 'commander';

const INSTANT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$/;

/** An option's instant; "none" means null. A bare date is its first moment in UTC. */
export function parseInstant(text: string): Date | null {
  if (text === 'none') return null;
  const instant = new Date(text);
  if (INSTANT.test(text) && !Number.isNaN(instant.getTime())) return instant;
  throw new InvalidArgumentError('Use a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or "none".');
}
