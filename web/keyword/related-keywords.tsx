import type { Frequency, SearchResult } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { Icon } from '../parts/icons.tsx';
import { LatestRank } from '../parts/latest-rank.tsx';
import { Skeleton } from '../parts/notices.tsx';
import { usePeriods } from '../parts/periods.ts';
import { Sparkline } from '../parts/sparkline.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { type ComparedKeyword, MAX_COMPARED } from './compared-keywords.ts';
import { keepRow } from './known-rows.ts';

interface RelatedKeywordsProps {
  readonly keyword: ComparedKeyword;
  readonly type: Frequency;
  readonly compared: readonly string[];
}

const LISTS = [
  { name: 'containing', title: 'With the same words', empty: 'No other keyword has all its words.' },
  { name: 'sharing_products', title: 'With the same products', empty: 'No other keyword shares its top products.' },
] as const;

export function RelatedKeywords({ keyword, type, compared }: RelatedKeywordsProps) {
  const { detail, isLoading } = keyword;
  // Of a keyword that is not in the data nothing is known, least of all that nothing is related to it.
  if (detail ? !detail.monthly && !detail.weekly : !isLoading) return null;
  // Related keywords are monthly unless the keyword itself has only weeks.
  const rowType: Frequency = detail?.monthly ? 'monthly' : 'weekly';
  for (const { name } of LISTS) for (const row of detail?.related[name] ?? []) keepRow(row, rowType);
  return (
    <div class="keyword-columns is-even">
      {LISTS.map(({ name, title, empty }) => (
        <section key={name} class="panel">
          <header class="panel-head">
            <h2>{title}</h2>
          </header>
          {!detail && <Skeleton rows={6} height={34} />}
          {detail?.related[name].length === 0 && <p class="muted">{empty}</p>}
          <ul class="related-list">
            {detail?.related[name].map((row) => (
              <RelatedRow key={row.normalized_search_term} row={row} {...{ type, rowType, compared }} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface RelatedRowProps {
  readonly row: SearchResult;
  readonly type: Frequency;
  readonly rowType: Frequency;
  readonly compared: readonly string[];
}

function RelatedRow({ row, type, rowType, compared }: RelatedRowProps) {
  const periods = usePeriods(rowType);
  const canCompare = compared.length < MAX_COMPARED && !compared.includes(row.search_term);
  return (
    <li>
      <a href={addressOfKeyword(row.search_term, { type })} data-view title={row.search_term}>
        {row.search_term}
      </a>
      <Sparkline
        history={periods.map(({ period }) => ({ period, rank: row.data[period] }))}
        type={rowType}
        width={84}
        height={22}
      />
      <span class="numbers">
        <LatestRank
          rank={row.summary.latest_rank}
          period={row.summary.latest_period}
          type={rowType}
          newest={periods.at(-1)?.period}
        />
      </span>
      <button
        type="button"
        class="button is-small"
        disabled={!canCompare}
        aria-label={`Compare ${row.search_term}`}
        onClick={() => changeParams({ term: [...place.value.params.getAll('term'), row.search_term] })}
      >
        <Icon name="plus" /> <span>Compare</span>
      </button>
    </li>
  );
}
