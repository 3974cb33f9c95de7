// Keeps the search in sight under a name, for everyone of the organization.
import { ask, forgetAnswers } from '../api/client.ts';
import { place } from '../app/location.ts';
import { Popover } from '../parts/popover.tsx';
import { showToast } from '../parts/toast.tsx';
import { attempt } from './known-lists.ts';
import { NameForm } from './name-form.tsx';

export function SaveSearch() {
  return (
    <Popover text="Save" icon="bookmark" title="Save this search" align="right">
      {(close) => (
        <NameForm
          label="Name, for everyone of your organization"
          value={suggestName()}
          action="Save this search"
          onName={(name) => attempt(() => save(name))}
          onDone={close}
        />
      )}
    </Popover>
  );
}

function suggestName(): string {
  return place.value.params.getAll('query').join(', ').slice(0, 100);
}

async function save(name: string): Promise<void> {
  const { path, params } = place.value;
  const kept = new URLSearchParams(params);
  // The search, not the page of it that is open.
  kept.delete('page');
  await ask('/v1/saved-searches', {
    method: 'POST',
    body: { name, address: `${path}?${kept}` },
    headers: { 'idempotency-key': crypto.randomUUID() },
  });
  forgetAnswers('/v1/saved-searches');
  showToast(`Saved as “${name}”. It stands under Lists.`);
}
