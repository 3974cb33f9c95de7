import { ask } from '../api/client.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { SavedSearch, SavedSearchesAnswer } from '../api/wire.ts';
import { addressOf } from '../app/location.ts';
import { MissingNotice, Skeleton } from '../parts/notices.tsx';
import { Popover } from '../parts/popover.tsx';
import { describeFilters, describePeriod } from '../search/search-filters.ts';
import { DeleteButton } from './delete-button.tsx';
import { attempt } from './known-lists.ts';
import { NameForm } from './name-form.tsx';

const PATH = '/v1/saved-searches';

export function SavedSearchList() {
  const { answer, failure, reload } = useAnswer<SavedSearchesAnswer>(`${PATH}?limit=1000`);
  return (
    <section class="panel" aria-label="Saved searches">
      <header class="panel-head">
        <h2>Saved searches</h2>
      </header>
      {failure &&
        (failure.status === 404 ? <MissingNotice what="Saved searches are" /> : <p class="fault">{failure.message}</p>)}
      {!answer && !failure && <Skeleton rows={3} height={48} />}
      {answer?.data.length === 0 && (
        <p class="muted">
          Press <b>Save</b> above the results of a{' '}
          <a href={addressOf('/')} data-view>
            search
          </a>{' '}
          to keep it here, with its filters and its order.
        </p>
      )}
      <ul class="shared-list">
        {answer?.data.map((search) => (
          <SearchRow key={search.id} search={search} onChange={reload} />
        ))}
      </ul>
    </section>
  );
}

function SearchRow({ search, onChange }: { readonly search: SavedSearch; readonly onChange: () => void }) {
  const { id, name, address } = search;
  const send = (question: Parameters<typeof ask>[1]) =>
    attempt(async () => {
      await ask(`${PATH}/${id}`, question);
      onChange();
    });
  return (
    <li>
      <span class="shared-name">
        <a href={address} data-view>
          {name}
        </a>
        <small class="muted">{describeAddress(address)}</small>
      </span>
      <Popover
        text={<span class="spoken">Rename {name}</span>}
        icon="edit"
        title={`Rename ${name}`}
        className="button is-icon is-bare"
        align="right"
      >
        {(close) => (
          <NameForm
            label="Name"
            value={name}
            action="Rename"
            onName={(changed) => send({ method: 'PATCH', body: { name: changed } })}
            onDone={close}
          />
        )}
      </Popover>
      <DeleteButton
        name={name}
        warning={`“${name}” is deleted for everyone of your organization.`}
        onDelete={() => send({ method: 'DELETE' })}
      />
    </li>
  );
}

/** "snow boots · weekly · rank up to 5,000 · by best rank". */
function describeAddress(address: string): string {
  const { searchParams: params } = new URL(address, window.location.origin);
  const words = [
    params.getAll('query').join(' or '),
    ...['method', 'type'].flatMap((name) => params.getAll(name)),
    ...describeFilters(params),
    ...params.getAll('order_by').map((order) => `by ${describeOrder(order, params)}`),
  ];
  return words.filter((word) => word !== '').join(' · ') || 'everything';
}

function describeOrder(order: string, params: URLSearchParams): string {
  return /^\d/.test(order) ? describePeriod(order, params) : order.replaceAll('_', ' ');
}
