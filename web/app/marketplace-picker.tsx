import { usePeriodsAnswer } from '../parts/periods.ts';
import { changeParams } from './location.ts';

/** There where there is a choice. What belongs to one marketplace alone, the page and an order by period, ends with it. */
export function MarketplacePicker() {
  const { answer } = usePeriodsAnswer();
  if (!answer || answer.marketplaces.length < 2) return null;
  return (
    <select
      class="marketplace-picker"
      aria-label="Marketplace"
      value={answer.marketplace}
      onChange={(event) =>
        changeParams({
          marketplace: event.currentTarget.value,
          page: null,
          offset: null,
          order_by: null,
          order_direction: null,
        })
      }
    >
      {answer.marketplaces.map((code) => (
        <option key={code} value={code}>
          {code}
        </option>
      ))}
    </select>
  );
}
