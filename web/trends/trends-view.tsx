import type { Frequency } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { lazy } from '../parts/lazy.tsx';
import { NoData, useIsWithoutData } from '../parts/no-data.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { Movers } from './movers.tsx';
import { NewTerms } from './new-terms.tsx';
import { SocialRanks } from './social-ranks.tsx';

const Seasonal = lazy(() => import('./seasonal.tsx').then((part) => part.Seasonal));

const LISTS = [
  { value: 'movers', text: 'Movers' },
  { value: 'new', text: 'New terms' },
  { value: 'seasonal', text: 'Seasonal' },
  { value: 'social', text: 'Social' },
] as const;
const TYPES = [
  { value: 'monthly', text: 'Monthly' },
  { value: 'weekly', text: 'Weekly' },
] as const;

export function TrendsView() {
  const { params } = place.value;
  const list = LISTS.find(({ value }) => value === params.get('list'))?.value ?? 'movers';
  const type: Frequency = params.get('type') === 'weekly' ? 'weekly' : 'monthly';
  const isWithoutData = useIsWithoutData(type);
  return (
    <div class="trends-view">
      <div class="view-head">
        <h1>Trends</h1>
        <Segmented
          label="List"
          options={LISTS}
          value={list}
          onChange={(value) =>
            changeParams({
              list: value === 'movers' ? null : value,
              offset: null,
              order_by: null,
              order_direction: null,
            })
          }
        />
        <Segmented
          label="Frequency"
          options={TYPES}
          value={type}
          onChange={(value) =>
            changeParams({ type: value === 'monthly' ? null : value, offset: null, compare_to: null })
          }
        />
      </div>
      {list === 'social' ? (
        <SocialRanks type={type} />
      ) : isWithoutData ? (
        <NoData type={type} />
      ) : list === 'new' ? (
        <NewTerms type={type} />
      ) : list === 'seasonal' ? (
        <Seasonal type={type} />
      ) : (
        <Movers type={type} />
      )}
    </div>
  );
}
