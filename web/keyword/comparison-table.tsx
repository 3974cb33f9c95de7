import type { Frequency } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { Swatch } from '../chart/chart-box.tsx';
import { seriesVariable } from '../chart/series-colour.ts';
import { Change } from '../parts/change.tsx';
import { ChangeTitle, type Comparison, ComparisonPicker, changeOf, useComparison } from '../parts/comparison.tsx';
import { formatAverage, formatNumber, formatPeriodShort } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Star } from '../tracked/star.tsx';
import { type ComparedKeyword, type KeywordState, stateOf } from './compared-keywords.ts';

interface ComparisonTableProps {
  readonly keywords: readonly ComparedKeyword[];
  readonly type: Frequency;
}

export function ComparisonTable({ keywords, type }: ComparisonTableProps) {
  const comparison = useComparison(type);
  return (
    <section class="panel" aria-label="Ranks">
      <header class="panel-head">
        <h2>Ranks</h2>
        <ComparisonPicker comparison={comparison} />
      </header>
      <table class="plain-table comparison">
        <thead>
          <tr>
            <th scope="col">Keyword</th>
            <th scope="col" class="is-right">
              Latest
            </th>
            <th scope="col" class="is-right">
              <ChangeTitle comparison={comparison} />
            </th>
            <th scope="col" class="is-right">
              Best
            </th>
            <th scope="col" class="is-right">
              Average
            </th>
            <th scope="col" class="is-right">
              Worst
            </th>
            <th scope="col" class="is-right">
              {type === 'monthly' ? 'Months' : 'Weeks'}
            </th>
            <th scope="col">
              <span class="spoken">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keywords.map((keyword, i) => (
            <ComparisonRow
              key={keyword.term}
              {...{ keyword, type, comparison }}
              index={i}
              canRemove={keywords.length > 1}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface ComparisonRowProps {
  readonly keyword: ComparedKeyword;
  readonly index: number;
  readonly type: Frequency;
  readonly comparison: Comparison | undefined;
  readonly canRemove: boolean;
}

/** Where cells stand below each other, each says what it is. */
function ComparisonRow({ keyword, index, type, comparison, canRemove }: ComparisonRowProps) {
  const { term, row } = keyword;
  const name = row?.search_term ?? term;
  return (
    <tr>
      <th scope="row">
        <span class="swatch-name">
          <Swatch colour={seriesVariable(index)} />
          <span>
            {name}
            {!row && <span class="muted"> · {describeState(stateOf(keyword), type)}</span>}
          </span>
        </span>
      </th>
      {row ? <Ranks row={row} type={type} comparison={comparison} /> : <td colSpan={6} />}
      <td class="row-actions">
        <Star term={name} hasText />
        {canRemove && (
          <button
            type="button"
            class="button is-icon is-bare"
            aria-label={`Remove ${name}`}
            onClick={() => changeParams({ term: place.value.params.getAll('term').filter((each) => each !== term) })}
          >
            <Icon name="close" />
          </button>
        )}
      </td>
    </tr>
  );
}

interface RanksProps {
  readonly row: NonNullable<ComparedKeyword['row']>;
  readonly type: Frequency;
  readonly comparison: Comparison | undefined;
}

function Ranks({ row: { summary, data }, type, comparison }: RanksProps) {
  return (
    <>
      <td class="is-right" data-label="Latest">
        <span class="latest">
          <b>{formatNumber(summary.latest_rank)}</b>
          <small>{formatPeriodShort(summary.latest_period, type)}</small>
        </span>
      </td>
      <td class="is-right" data-label="Change">
        <Change value={changeOf(data, comparison)} />
      </td>
      <td class="is-right" data-label="Best">
        {formatNumber(summary.best_rank)}
      </td>
      <td class="is-right" data-label="Average">
        {formatAverage(summary.avg_rank)}
      </td>
      <td class="is-right" data-label="Worst">
        {formatNumber(summary.worst_rank)}
      </td>
      <td class="is-right" data-label={type === 'monthly' ? 'Months' : 'Weeks'}>
        {formatNumber(summary.total_periods)}
      </td>
    </>
  );
}

function describeState(state: KeywordState, type: Frequency): string {
  const texts: Readonly<Record<KeywordState, string>> = {
    ranked: '',
    loading: 'loading …',
    failed: 'not loaded',
    'other frequency': `no ${type} ranks`,
    unknown: 'not in the data',
  };
  return texts[state];
}
