// What the search box takes for products, and where their pages are.
import { describe, expect, it } from 'vitest';
import { listMarketplaceCodes } from '../../src/domain/marketplace.ts';
import { readPastedProducts } from '../../web/product/pasted-products.ts';
import { addressInShop, findShop } from '../../web/product/shops.ts';

const [A, B] = ['B0DDBYMN4X', 'B080SMTSDO'];
const read = (text: string, marketplace = 'US') => readPastedProducts(text, marketplace);

describe('a text about products', () => {
  it.each([
    [A, [A]],
    [` ${A.toLowerCase()}\n`, [A]],
    [`${A},${B}`, [A, B]],
    [`${A}, ${B};${A}\t|${B}`, [A, B]],
    [`ASIN: ${A}\r\nASIN: ${B}`, [A, B]],
    [`asin:${A} and`, undefined],
    ['0306406152', ['0306406152']],
    ['080442957x', ['080442957X']],
  ] as const)('%j is %j', (text, asins) => {
    expect(read(text)?.asins).toEqual(asins);
  });

  it.each([
    [`https://www.amazon.com/dp/${A}`, 'US'],
    [`https://www.amazon.de/Some-Title-%C3%BC/dp/${A}/ref=sr_1_3?crid=2X&keywords=a%2Cb,c&qid=17`, 'DE'],
    [`http://amazon.co.uk/gp/product/${A.toLowerCase()}?th=1&psc=1`, 'UK'],
    [`www.amazon.co.jp/-/en/dp/${A}/`, 'JP'],
    [`amazon.com.mx/gp/aw/d/${A}#reviews`, 'MX'],
    [`https://smile.amazon.com/exec/obidos/ASIN/${A}`, 'US'],
    [`https://www.amazon.fr/product-reviews/${A}/ref=x`, 'FR'],
    [`https://www.amazon.com/sspa/click?ie=UTF8&spc=x&url=%2FSome-Title%2Fdp%2F${A}%2Fref%3Dsr`, 'US'],
    [`Look at this: https://www.amazon.it/dp/${A}?tag=x`, 'IT'],
  ])('%s is a product of %s', (text, marketplace) => {
    expect(read(text)).toEqual({ asins: [A], marketplace });
  });

  it('may have links to several shops, which then decide nothing, and pages of Walmart', () => {
    const both = `https://www.amazon.com/dp/${A},https://www.amazon.de/dp/${B}`;
    expect(read(both)).toEqual({ asins: [A, B], marketplace: undefined });
    const walmart = 'https://www.walmart.com/ip/Some-Boots/5113183757?athbdg=L1600';
    expect(read(walmart)).toEqual({ asins: ['5113183757'], marketplace: 'WM' });
    expect(read('5113183757, 12345678', 'WM')?.asins).toEqual(['5113183757', '12345678']);
  });

  it.each([
    ...[
      '',
      ' , ',
      'basketball',
      'snow boots',
      `${A} boots`,
      '1234567890',
      'B0 boots',
      '5113183757',
      'https://example.com/dp/B0DDBYMN4X',
    ],
    ...[
      'https://amazon.de.example.com/dp/B0DDBYMN4X',
      'https://www.amazon.com/s?k=boots',
      'amazon.com/dp/B0DDBYMN4XY',
      '%E0%A4%A/dp/',
    ],
    ...['https://www.amazon.com/dp/%E0%A4%A'],
  ])('%j is none', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('is read in no time, however long and hostile', () => {
    const text = `${'https://www.amazon.com/dp/'.repeat(20_000)}${','.repeat(100_000)}`;
    expect(read(text)).toBeUndefined();
    expect(
      read(Array.from({ length: 500 }, (_, i) => `B0${String(i).padStart(8, '0')}`).join('\n'))?.asins.length,
    ).toBe(500);
  });
});

it('knows the shop of each marketplace that the service knows', () => {
  const codes = (['na', 'eu', 'fe'] as const).flatMap(listMarketplaceCodes);
  expect(codes.filter((code) => !findShop(code))).toEqual([]);
  const address = (code: string) => {
    const shop = findShop(code);
    return shop && addressInShop(shop, A);
  };
  expect(address('DE')).toBe(`https://www.amazon.de/dp/${A}`);
  expect(address('UK')).toBe(`https://www.amazon.co.uk/dp/${A}`);
  expect(address('WM')).toBe(`https://www.walmart.com/ip/${A}`);
  expect(address('XX')).toBeUndefined();
});
