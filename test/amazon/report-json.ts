/** The body of a search terms report, the same for the same question. */
export function reportJson({
  marketplaceId,
  start,
  end,
  version,
  terms,
}: {
  readonly marketplaceId: string;
  readonly start: string;
  readonly end: string;
  /** Amazon corrects reports. */
  readonly version: number;
  readonly terms: number;
}): string {
  const isWeek = Date.parse(end) - Date.parse(start) === 6 * 86_400_000;
  const specification = {
    reportType: 'GET_BRAND_ANALYTICS_SEARCH_TERMS_REPORT',
    reportOptions: { reportPeriod: isWeek ? 'WEEK' : 'MONTH' },
    dataStartTime: start,
    dataEndTime: end,
    marketplaceIds: [marketplaceId],
  };
  const seed = Number(start.replaceAll('-', '')) % 997;
  const records = Array.from({ length: terms }, (_, n) =>
    [1, 2, 3].map((slot) => ({
      departmentName: 'Amazon.com',
      searchTerm: `term ${(n * 7 + seed) % 500} ${marketplaceId.slice(0, 3).toLowerCase()}${n}`,
      searchFrequencyRank: n + 1,
      clickedAsin: `B0${String(seed * 1000 + n * 10 + slot).padStart(8, '0')}`,
      clickedItemName: `Product ${n}-${slot}`,
      clickShareRank: slot,
      clickShare: Number((0.1 * slot + version / 1000).toFixed(4)),
      conversionShare: slot === 3 ? null : 0.05,
    })),
  ).flat();
  return JSON.stringify({ reportSpecification: specification, dataByDepartmentAndSearchTerm: records });
}
