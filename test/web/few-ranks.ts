// A few keywords whose histories are known by heart: with gaps, with a small fall, gone, weekly only, and one with products.
import type { TestService } from '../support/service.ts';

const MONTHS = ['05-2026', '06-2026', '07-2026', '08-2026', '09-2026'];

/** Ranks from May to September 2026; null where there is none. October comes with products. */
const RANKS: Readonly<Record<string, readonly (number | null)[]>> = {
  'sparse lamp': [900, null, 400, null, null],
  'steady lamp': [1, 1, 1, 1, 1],
  'gone lamp': [500, 400, 300, 200, 100],
  'early lamp': [9000, null, null, null, null],
  'brand lamp': [30, 30, 30, 30, 40],
  'desk lamp': [10, 11, 12, 13, 14],
  'floor lamp': [20, 21, 22, 23, 24],
};
const OCTOBER = [
  'steady lamp,2',
  'desk lamp,15',
  'floor lamp,25',
  'brand lamp,28',
  'sparse lamp,300',
  'early lamp,1000',
] as const;
const AMAZON_HEADER = [
  'Search Frequency Rank,Search Term',
  ...[1, 2, 3].map((n) => `Top Clicked Brand #${n}`),
  ...[1, 2, 3].map((n) => `Top Clicked Category #${n}`),
  ...[1, 2, 3].flatMap((n) =>
    ['ASIN', 'Product Title', 'Click Share', 'Conversion Share'].map((name) => `Top Clicked Product #${n}: ${name}`),
  ),
  'Reporting Date',
].join(',');

export async function publishFewRanks(service: TestService): Promise<void> {
  const rows = Object.entries(RANKS).flatMap(([term, ranks]) =>
    ranks.flatMap((rank, i) => (rank === null ? [] : [`monthly,${MONTHS[i]},${term},${rank}`])),
  );
  const weeks = ['45-2026', '46-2026'].flatMap((week, i) => [
    `weekly,${week},weekly lamp,${9 - i}`,
    `weekly,${week},steady lamp,${2 - i}`,
  ]);
  const plain = ['period_type,period,search_term,rank', ...rows, ...weeks, ''].join('\n');
  const october = OCTOBER.map((each) => {
    const [term, rank] = each.split(',');
    const products = 'B0AAAAAAA1,First lamp,40,20,B0AAAAAAA2,Second lamp,25,50,B0AAAAAAA3,Third lamp,10,5';
    return `${rank},${term},Zeta,Acme,Mid,Lighting,,,${products},2026-10-31`;
  });
  const report = [
    'Reporting Range=["Monthly"],Select month=["October 2026"],Country=["US"]',
    AMAZON_HEADER,
    ...october,
    '',
  ];
  await service.publish('ranks.csv', plain);
  await service.publish('US_Top_Search_Terms_Simple_Month_2026_10_31.csv', report.join('\n'));
}
