import type { TrackedKeyword } from '../api/wire.ts';
import { addressOf, marketplaceParams } from '../app/location.ts';
import { type Comparison, ComparisonPicker, compareWithin } from '../parts/comparison.tsx';
import { CopyAs } from '../parts/copy-as.tsx';
import { ExportButton } from '../parts/export-button.tsx';
import { formatNumber } from '../parts/format.ts';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Popover } from '../parts/popover.tsx';
import { DetailsButton } from '../trends/keyword-details.tsx';
import { BulkAdd } from './bulk-add.tsx';
import { DigestList } from './digest-list.tsx';
import { ProductPanel } from './product-list.tsx';
import { hasProducts } from './tracked-grid.tsx';
import { TrackedTable } from './tracked-table.tsx';
import { loadTracked, tracked, trackedFailure } from './tracked-terms.ts';

const NO_PARAMS = new URLSearchParams();

export function TrackedView() {
  const keywords = tracked.value;
  const failure = trackedFailure.value;
  const comparison = comparisonOf(keywords ?? []);
  // Keywords are tracked in the service's own.
  const isOwnMarketplace = marketplaceParams().marketplace === undefined;
  return (
    <div class="tracked-view">
      <div class="view-head">
        <h1>Tracked keywords</h1>
        {keywords && <span class="muted numbers">{formatNumber(keywords.length)}</span>}
        <ComparisonPicker comparison={comparison} />
        <div class="view-tools">
          <Popover text="Add keywords" icon="plus" title="Add keywords" className="button is-primary" align="right">
            {(close) => <BulkAdd onDone={close} />}
          </Popover>
          {keywords && keywords.length > 0 && isOwnMarketplace && (
            <DetailsButton
              text="Top products"
              terms={keywords.map(({ search_term: term }) => term.original_term)}
              type="monthly"
              shown={hasProducts}
            />
          )}
          {keywords && keywords.length > 0 && (
            <ExportButton path="/v1/tracked-keywords" params={NO_PARAMS} count={keywords.length} />
          )}
          <CopyAs request={{ path: '/v1/tracked-keywords' }} />
        </div>
      </div>
      <div class="tracked-columns">
        <section aria-label="Tracked keywords">
          {failure && <FailureNotice failure={failure} onRetry={loadTracked} />}
          {!keywords && !failure && <Skeleton rows={8} height={48} />}
          {keywords?.length === 0 && <NothingTracked />}
          {keywords && keywords.length > 0 && <TrackedTable keywords={keywords} comparison={comparison} />}
        </section>
        <div class="tracked-side">
          <ProductPanel />
          <DigestList />
        </div>
      </div>
    </div>
  );
}

/** Histories hold every month that the plan can see, of the marketplace that keywords are tracked in. */
function comparisonOf(keywords: readonly TrackedKeyword[]): Comparison | undefined {
  const history = keywords.find(({ snapshot }) => snapshot.history.length > 0)?.snapshot.history ?? [];
  return compareWithin(
    history.map(({ period }) => period),
    'monthly',
  );
}

function NothingTracked() {
  return (
    <EmptyNotice title="Nothing is tracked yet.">
      <p>
        Press the star beside a keyword in a{' '}
        <a href={addressOf('/')} data-view>
          search
        </a>
        , or paste a list with <b>Add keywords</b>. With every new period you get a digest of how they moved.
      </p>
    </EmptyNotice>
  );
}
