import { describe, expect, it } from 'vitest';
import { CATEGORY_BUCKETS, findBucket, matchesCategory, parseCategoryFilter } from './category.ts';

describe('category buckets', () => {
  it('hold stored names whatever their case and separators', () => {
    expect(findBucket('Luxury_Beauty')).toBe('Beauty & Personal Care');
    expect(findBucket('luxury beauty')).toBe('Beauty & Personal Care');
    expect(findBucket('Commerical_Onemedical_Membership')).toBe('Health & Household');
  });

  it('put every unknown stored name into Other', () => {
    expect(findBucket('Brand New Group')).toBe('Other');
    expect(CATEGORY_BUCKETS.at(-1)).toBe('Other');
  });
});

describe('a category filter', () => {
  it('takes a bucket name before an equal stored name', () => {
    expect(parseCategoryFilter('electronics')).toEqual({ kind: 'bucket', bucket: 'Electronics' });
    expect(matchesCategory('Camera', parseCategoryFilter('Electronics'))).toBe(true);
  });

  it('takes a stored name for itself only', () => {
    const filter = parseCategoryFilter('Luxury_Beauty');
    expect(matchesCategory('Luxury_Beauty', filter)).toBe(true);
    expect(matchesCategory('Beauty', filter)).toBe(false);
  });

  it('treats an unmatched value as Other', () => {
    expect(parseCategoryFilter('no such thing')).toEqual({ kind: 'bucket', bucket: 'Other' });
    expect(matchesCategory('Brand New Group', parseCategoryFilter('no such thing'))).toBe(true);
  });
});
