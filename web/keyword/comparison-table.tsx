import type { Frequency } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { Change } from '../parts/change.tsx';
import { formatAverage, formatNumber, formatPeriod } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { latestChange } from '../parts/periods.ts';
import { Star } from '../tracked/star.tsx';
import type { ComparedKeyword } from './compared-keywords.ts';
import { Swatch } from './rank-chart.tsx';

interface ComparisonTableProps {
  readonly keywords: readonly ComparedKeyword[];
  readonly type: Frequency;
}

export function ComparisonTable({ keywords, type }: ComparisonTableProps) {
  return (
    <div class="table-box">
      <table class="plain-table comparison">
        <thead>
          <tr>
            <th scope="col">Keyword</th>
            <th scope="col" class="is-right">
              Latest
            </th>
            <th scope="col" class="is-right">
              Change
            </th>
            <th scope="col" class="is-right">
              Best
            </th>
            <th scope="col" class="is-right wide-only">
              Average
            </th>
            <th scope="col" class="is-right wide-only">
              Worst
            </th>
            <th scope="col" class="is-right wide-only">
              {type === 'monthly' ? 'Months' : 'Weeks'}
            </th>
            <th scope="col">
              <span class="spoken">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keywords.map((keyword, i) => (
            <ComparisonRow key={keyword.term} keyword={keyword} index={i} type={type} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ComparisonRowProps {
  readonly keyword: ComparedKeyword;
  readonly index: number;
  readonly type: Frequency;
}

function ComparisonRow({ keyword, index, type }: ComparisonRowProps) {
  const { term, row, isLoading } = keyword;
  const summary = row?.summary;
  const name = row?.search_term ?? term;
  return (
    <tr>
      <th scope="row">
        <span class="swatch-name">
          <Swatch index={index} />
          <span>
            {name}
            {!row && <span class="muted"> · {isLoading ? 'loading …' : 'no ranks'}</span>}
          </span>
        </span>
      </th>
      <td class="is-right">
        {summary && (
          <span class="latest">
            <b>{formatNumber(summary.latest_rank)}</b>
            <small>{formatPeriod(summary.latest_period, type)}</small>
          </span>
        )}
      </td>
      <td class="is-right">{row && <Change value={latestChange(row)} />}</td>
      <td class="is-right">{summary && formatNumber(summary.best_rank)}</td>
      <td class="is-right wide-only">{summary && formatAverage(summary.avg_rank)}</td>
      <td class="is-right wide-only">{summary && formatNumber(summary.worst_rank)}</td>
      <td class="is-right wide-only">{summary && formatNumber(summary.total_periods)}</td>
      <td class="row-actions">
        <Star term={name} hasText />
        <button
          type="button"
          class="button is-icon is-bare"
          aria-label={`Remove ${name}`}
          onClick={() => changeParams({ term: place.value.params.getAll('term').filter((each) => each !== term) })}
        >
          <Icon name="close" />
        </button>
      </td>
    </tr>
  );
}
