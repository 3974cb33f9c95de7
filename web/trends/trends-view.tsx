import type { Frequency } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { Segmented } from '../parts/segmented.tsx';
import { Movers } from './movers.tsx';
import { NewTerms } from './new-terms.tsx';
import { SocialRanks } from './social-ranks.tsx';

const LISTS = [
  { value: 'movers', text: 'Movers' },
  { value: 'new', text: 'New terms' },
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
          onChange={(value) => changeParams({ type: value === 'monthly' ? null : value, offset: null })}
        />
      </div>
      {list === 'movers' && <Movers type={type} />}
      {list === 'new' && <NewTerms type={type} />}
      {list === 'social' && <SocialRanks type={type} />}
    </div>
  );
}
