// A keyword that is known to have no ranks to draw: whether it has some of the other frequency, or none at all.
import type { Frequency } from '../api/wire.ts';
import { addressOf } from '../app/location.ts';
import { EmptyNotice } from '../parts/notices.tsx';
import { usePeriods } from '../parts/periods.ts';
import { type ComparedKeyword, stateOf } from './compared-keywords.ts';
import { changeType } from './keyword-type.ts';

interface NoRanksProps {
  readonly keywords: readonly ComparedKeyword[];
  readonly type: Frequency;
}

export function NoRanks({ keywords, type }: NoRanksProps) {
  const [months, weeks] = [usePeriods('monthly').length, usePeriods('weekly').length];
  const other: Frequency = type === 'monthly' ? 'weekly' : 'monthly';
  const names = keywords.map(({ term, detail }) => `“${detail?.search_term ?? term}”`).join(', ');
  const isOne = keywords.length === 1;
  if (keywords.some((keyword) => stateOf(keyword) === 'other frequency')) {
    return (
      <EmptyNotice title={`${names} ${isOne ? 'has' : 'have'} no ${type} ranks, but ${other} ones.`}>
        <p>
          <button type="button" class="button is-primary" onClick={() => changeType(other)}>
            Show the {other} ranks
          </button>
        </p>
      </EmptyNotice>
    );
  }
  return (
    <EmptyNotice title={`${names} ${isOne ? 'is' : 'are'} not in the data.`}>
      <p>
        None of the reports that you can see has {isOne ? 'it' : 'them'}: {describeCount(months, 'month')} and{' '}
        {describeCount(weeks, 'week')}.
      </p>
      <p>
        <a class="button is-primary" href={addressOf('/', { query: keywords[0]?.term ?? '' })} data-view>
          Search for similar keywords
        </a>
      </p>
    </EmptyNotice>
  );
}

function describeCount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
