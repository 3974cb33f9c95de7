// One brand over time: for how many keywords reports name it among the top three, and which.
import { useAnswer } from '../api/use-answer.ts';
import type { BrandAnswer } from '../api/wire.ts';
import { addressOf, place } from '../app/location.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { NoData, useIsWithoutData } from '../parts/no-data.tsx';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { FrequencyChoice } from './frequency-choice.tsx';
import { HeldKeywords } from './held-keywords.tsx';
import { type Holder, listParams, overviewPath, readType, requestFor } from './holder.ts';
import { HolderCharts } from './holder-charts.tsx';
import { HolderFacts } from './holder-facts.tsx';
import { UnknownHolder } from './unknown-holder.tsx';
import '../styles/product.css';

export function BrandView() {
  const name = place.value.params.get('name')?.trim() ?? '';
  const isWithoutData = useIsWithoutData(readType());
  if (isWithoutData) return <NoData type={readType()} />;
  if (name !== '') return <Brand name={name} />;
  return (
    <div class="keyword-view">
      <h1>Brands</h1>
      <EmptyNotice title="Look at a brand">
        <p>
          Choose one in the results of a{' '}
          <a href={addressOf('/')} data-view>
            search
          </a>
          , or beside the top products of a keyword.
        </p>
      </EmptyNotice>
    </div>
  );
}

function Brand({ name }: { readonly name: string }) {
  const type = readType();
  const holder: Holder = { kind: 'brand', name };
  const { answer, failure, reload } = useAnswer<BrandAnswer>(overviewPath(holder, type));
  return (
    <div class="keyword-view">
      <div class="keyword-head">
        <div class="product-name">
          <h1>{answer?.data.name ?? name}</h1>
          <p class="muted">Brand · reports give brands places, and no shares</p>
        </div>
        <div class="keyword-tools">
          <FrequencyChoice type={type} />
          <CopyAs request={requestFor(holder, '/keywords', listParams(['status', 'order_by'], type))} />
        </div>
      </div>
      {failure && failure.status !== 404 && <FailureNotice failure={failure} onRetry={reload} />}
      {failure?.status === 404 && <UnknownHolder holder={holder} type={type} />}
      {!answer && !failure && <Skeleton rows={2} height={180} />}
      {answer && !failure && (
        <>
          <HolderFacts data={answer.data} type={type} />
          <HolderCharts holders={[{ name: answer.data.name, data: answer.data, index: 0 }]} type={type} />
          <HeldKeywords holder={holder} data={answer.data} type={type} />
        </>
      )}
    </div>
  );
}
