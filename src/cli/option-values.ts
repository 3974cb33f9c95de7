// What several commands read from their options.
import { InvalidArgumentError } from 'commander';
import { parseMarketplace } from '../domain/marketplace.ts';

const INSTANT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$/;

/** "none" means null. A bare date is its first moment in UTC. */
export function parseInstant(text: string): Date | null {
  if (text === 'none') return null;
  const instant = new Date(text);
  if (INSTANT.test(text) && !Number.isNaN(instant.getTime())) return instant;
  throw new InvalidArgumentError('Use a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or "none".');
}

export function parseMarketplaceFlag(text: string): string {
  const code = parseMarketplace(text);
  if (code === undefined) throw new InvalidArgumentError('Use a two-letter code such as US, or WM for Walmart.');
  return code;
}
