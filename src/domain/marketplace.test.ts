import { describe, expect, it } from 'vitest';
import {
  findMarketplaceById,
  parseMarketplace,
  parseMarketplacePrefix,
  WALMART,
  WHOLE_SITE_DEPARTMENTS,
} from './marketplace.ts';

describe('a marketplace', () => {
  it('is a code of two letters in any case, of shops that we do not know yet too', () => {
    expect(['us', 'De', 'QQ'].map(parseMarketplace)).toEqual(['US', 'DE', 'QQ']);
    for (const text of ['', 'U', 'USA', 'U1', ' US', 'US ', 'ÜS']) expect(parseMarketplace(text)).toBeUndefined();
  });

  it('GB is UK', () => {
    expect(['gb', 'GB', 'UK'].map(parseMarketplace)).toEqual(['UK', 'UK', 'UK']);
  });

  it('in front of a file name is one that we know', () => {
    expect(['us', 'GB', 'wm', 'SG'].map(parseMarketplacePrefix)).toEqual(['US', 'UK', WALMART, 'SG']);
    expect(['QQ', 'my', 'USA'].map(parseMarketplacePrefix)).toEqual([undefined, undefined, undefined]);
    expect(WALMART).toBe('WM');
  });

  it('is found by its identifier in SP-API reports', () => {
    expect(findMarketplaceById('ATVPDKIKX0DER')).toBe('US');
    expect(findMarketplaceById('A1PA6795UKMFR9')).toBe('DE');
    expect(findMarketplaceById('atvpdkikx0der')).toBeUndefined();
  });

  it('has a department for the whole site, in lower case', () => {
    expect(WHOLE_SITE_DEPARTMENTS).toContain('amazon.com');
    expect(WHOLE_SITE_DEPARTMENTS).toContain('amazon.co.uk');
    expect(WHOLE_SITE_DEPARTMENTS).not.toContain('books');
  });
});
