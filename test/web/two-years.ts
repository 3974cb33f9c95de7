// Two years of a few keywords whose numbers are known by heart: one that peaks every November, one that climbs, one that is new, and
// products in the two newest months.
import type { TestService } from '../support/service.ts';

/** Oldest first: September 2024 to October 2026. */
const MONTHS = Array.from({ length: 26 }, (_, i) => {
  const month = (8 + i) % 12;
  return { month: month + 1, year: 2024 + Math.floor((8 + i) / 12), index: i };
});
const NEWEST = MONTHS.length - 1;

/** Of the month in a year, and of its place in all months; undefined where there is none. */
const RANKS: Readonly<Record<string, (at: (typeof MONTHS)[number]) => number | undefined>> = {
  'snow boots': ({ month }) => (month === 11 ? 40 : 400),
  'kids snow boots': ({ month }) => (month === 11 || month === 12 ? 90 : 900),
  'hiking boots': () => 200,
  'rain boots': ({ index }) => 6000 - index * 100,
  'rain boots women': ({ index }) => (index === NEWEST ? 700 : 5000),
  'garden hose': ({ month }) => (month === 6 ? 30 : 3000),
  'desk lamp': () => 50,
  'boot dryer': ({ index }) => (index === NEWEST ? 800 : undefined),
  // More than one search or export takes by name.
  ...Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [
      `bolt ${i}`,
      ({ index }: { readonly index: number }) => (index === NEWEST ? 2000 + i : undefined),
    ]),
  ),
};
/** Of each keyword of the two newest months: its products, their click shares and conversion shares. */
const PRODUCTS = [
  ['B0BOOTAAA1', 'Insulated winter boots', 40, 60],
  ['B0BOOTAAA2', 'Rain boots for women', 25, 5],
  ['B0BOOTAAA3', 'Trail shoes', 10, 10],
] as const;
const HEADER = [
  'Search Frequency Rank,Search Term',
  ...[1, 2, 3].map((n) => `Top Clicked Brand #${n}`),
  ...[1, 2, 3].map((n) => `Top Clicked Category #${n}`),
  ...[1, 2, 3].flatMap((n) =>
    ['ASIN', 'Product Title', 'Click Share', 'Conversion Share'].map((name) => `Top Clicked Product #${n}: ${name}`),
  ),
  'Reporting Date',
].join(',');

export async function publishTwoYears(service: TestService): Promise<void> {
  const older = MONTHS.slice(0, -2).flatMap((at) =>
    ranksIn(at).map(([term, rank]) => `monthly,${String(at.month).padStart(2, '0')}-${at.year},${term},${rank}`),
  );
  const texts = {
    'ranks.csv': ['period_type,period,search_term,rank', ...older, ''].join('\n'),
    ...Object.fromEntries(MONTHS.slice(-2).map(amazonReport)),
  };
  await service.publishAll(texts, 'search');
}

function ranksIn(at: (typeof MONTHS)[number]): readonly (readonly [string, number])[] {
  return Object.entries(RANKS).flatMap(([term, rankIn]) => {
    const rank = rankIn(at);
    return rank === undefined ? [] : [[term, rank] as const];
  });
}

function amazonReport(at: (typeof MONTHS)[number]): readonly [string, string] {
  const lastDay = new Date(Date.UTC(at.year, at.month, 0)).toISOString().slice(0, 10);
  const month = new Date(lastDay).toLocaleString('en', { month: 'long', timeZone: 'UTC' });
  const products = PRODUCTS.flat().join(',');
  const rows = ranksIn(at).map(
    ([term, rank]) => `${rank},${term},Northpeak,Puddle,Trailway,Shoes,,,${products},${lastDay}`,
  );
  const about = `Reporting Range=["Monthly"],Select month=["${month} ${at.year}"],Country=["US"]`;
  const name = `US_Top_Search_Terms_Simple_Month_${lastDay.replaceAll('-', '_')}.csv`;
  return [name, [about, HEADER, ...rows, ''].join('\n')];
}
