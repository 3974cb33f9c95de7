import type { Frequency, HolderData } from '../api/wire.ts';
import { Change } from '../parts/change.tsx';
import { formatNumber, formatPercent, formatPeriod, formatPeriodShort } from '../parts/format.ts';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { BrandLink } from './product-link.tsx';

interface HolderFactsProps {
  readonly data: HolderData;
  readonly type: Frequency;
}

/** How it stands in the newest period. */
export function HolderFacts({ data, type }: HolderFactsProps) {
  const now = data.periods.at(-1);
  const before = data.periods.at(-2);
  if (!now) return null;
  const held = data.periods.filter(({ keywords }) => keywords > 0);
  const [first, last] = [held[0], held.at(-1)];
  const best = now.best_keyword;
  return (
    <section class="panel holder-facts" aria-label={`In ${formatPeriod(now.period, type)}`}>
      <Fact name={`Keywords in ${formatPeriod(now.period, type)}`}>
        <b>{formatNumber(now.keywords)}</b>{' '}
        {before && (
          <SinceBefore change={now.keywords - before.keywords} since={formatPeriodShort(before.period, type)} />
        )}
      </Fact>
      <Fact name="By place">
        {[now.place_1, now.place_2, now.place_3].map((count, i) => (
          <span key={i} class="place-count">
            <Place value={i + 1} /> {formatNumber(count)}
          </span>
        ))}
      </Fact>
      {now.click_share_mean !== undefined && (
        <Fact name="Mean click share">{now.click_share_mean === null ? '–' : formatPercent(now.click_share_mean)}</Fact>
      )}
      <Fact name="Best keyword">
        {best ? (
          <>
            <a href={addressOfKeyword(best.search_term, { type })} data-view>
              {best.search_term}
            </a>{' '}
            <span class="muted">
              rank {formatNumber(best.search_rank)}, place {best.place}
            </span>
          </>
        ) : (
          '–'
        )}
      </Fact>
      {first && last && (
        <Fact name="Seen">
          {formatPeriod(first.period, type)} – {formatPeriod(last.period, type)}
        </Fact>
      )}
      {data.brands.length > 0 && (
        <Fact name="Brands beside it">
          {data.brands.slice(0, 3).map(({ name }) => (
            <span key={name} class="place-count">
              <BrandLink name={name} type={type} />
            </span>
          ))}
        </Fact>
      )}
    </section>
  );
}

function SinceBefore({ change, since }: { readonly change: number; readonly since: string }) {
  if (change === 0) return <span class="muted">as many as in {since}</span>;
  return (
    <span class="muted">
      <Change value={change} /> since {since}
    </span>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <dl>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </dl>
  );
}

/** First, second or third. */
export function Place({ value }: { readonly value: number | null }) {
  if (value === null) return <span class="muted">–</span>;
  return (
    <span class={`place-mark is-${value}`}>
      <span class="spoken">place </span>
      {value}
    </span>
  );
}
