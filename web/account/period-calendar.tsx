// The periods of a year in every marketplace: there, coming, late or failed. What needs somebody stands above it in words.
import { useState } from 'preact/hooks';
import { useAnswer } from '../api/use-answer.ts';
import type { AccountAnswer, CalendarAnswer, CalendarEntry, ConnectionsAnswer } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { RetryPeriod } from '../connections/retry-period.tsx';
import { copyText } from '../parts/copied-text.ts';
import { Skeleton } from '../parts/notices.tsx';
import { CalendarGrid } from './calendar-grid.tsx';
import { describe } from './calendar-words.ts';

const STATES: readonly (readonly [CalendarEntry['state'], string])[] = [
  ['there', 'there'],
  ['coming', 'coming'],
  ['late', 'late'],
  ['failed', 'failed'],
];
/** In words above the calendar; the others are in it. */
const MAX_TOLD = 8;

export function PeriodCalendar() {
  const year = place.value.params.get('year');
  const { answer, failure, reload } = useAnswer<CalendarAnswer>(
    `/v1/periods/calendar${year === null ? '' : `?${new URLSearchParams({ year })}`}`,
  );
  const [chosen, setChosen] = useState<CalendarEntry | null>(null);
  const retryable = useRetryable(answer?.data.some(({ state }) => state !== 'there') ?? false);
  if (!answer && !failure) return <Skeleton rows={4} />;
  // Nothing is published or fetched yet, which the view says by itself.
  if (answer?.year === null) return null;
  return (
    <section class="panel calendar">
      <header class="panel-head">
        <h2>Calendar</h2>
        {answer && <YearPicker answer={answer} />}
        <button type="button" class="button is-small" onClick={reload}>
          Look again
        </button>
      </header>
      {failure && <p class="fault">{failure.hint ? `${failure.message} ${failure.hint}` : failure.message}</p>}
      {answer && (
        <>
          <Troubles entries={answer.data} retryable={retryable} onRetried={reload} />
          {(['monthly', 'weekly'] as const).map((type) => (
            <CalendarGrid
              key={`${type} ${answer.year}`}
              type={type}
              entries={answer.data.filter((entry) => entry.type === type)}
              onChoose={setChosen}
            />
          ))}
          <ul class="calendar-legend" aria-label="Legend">
            {STATES.map(([state, text]) => (
              <li key={state}>
                <span class={`calendar-mark is-${state}`} aria-hidden="true" />
                {text}
              </li>
            ))}
          </ul>
          <p class="calendar-detail">
            {chosen ? describe(chosen) : 'Choose a period to read more of it.'}{' '}
            {chosen && <Retry entry={chosen} retryable={retryable} onRetried={reload} />}
          </p>
        </>
      )}
    </section>
  );
}

function YearPicker({ answer: { year, years } }: { readonly answer: CalendarAnswer }) {
  const offered = [...new Set([...(year === null ? [] : [year]), ...years])].sort((a, b) => b - a);
  return (
    <select
      aria-label="Year"
      value={String(year)}
      onChange={(event) => changeParams({ year: event.currentTarget.value })}
    >
      {offered.map((each) => (
        <option key={each} value={String(each)}>
          {each}
        </option>
      ))}
    </select>
  );
}

/** What is late or was given up; whoever may tries it again, and others read how the operator does. */
function Troubles({ entries, retryable, onRetried }: TroublesProps) {
  const troubles = entries.filter(({ state }) => state === 'failed' || state === 'late');
  if (troubles.length === 0) return null;
  const failed = new Set(troubles.filter(({ state }) => state === 'failed').map(({ marketplace }) => marketplace));
  return (
    <>
      <ul class="calendar-troubles">
        {troubles.slice(0, MAX_TOLD).map((entry) => (
          <li key={`${entry.marketplace} ${entry.type} ${entry.period}`}>
            {describe(entry)} <Retry entry={entry} retryable={retryable} onRetried={onRetried} />
          </li>
        ))}
        {troubles.length > MAX_TOLD && <li class="muted">and {troubles.length - MAX_TOLD} more</li>}
      </ul>
      {[...failed]
        .filter((marketplace) => !retryable.has(marketplace))
        .map((marketplace) => (
          <RetryCommand key={marketplace} marketplace={marketplace} />
        ))}
    </>
  );
}

interface TroublesProps {
  readonly entries: readonly CalendarEntry[];
  readonly retryable: Retryable;
  readonly onRetried: () => void;
}

/** Connections that the caller may manage, by the marketplaces that they fetch. */
type Retryable = ReadonlyMap<string, string>;

function useRetryable(isWanted: boolean): Retryable {
  const { answer: account } = useAnswer<AccountAnswer>(isWanted ? '/v1/account' : null);
  const mayManage = account?.data.actions.includes('connections') && account.data.scopes.includes('people');
  const { answer } = useAnswer<ConnectionsAnswer>(isWanted && mayManage ? '/v1/connections' : null);
  const enabled = answer?.data.filter(({ disabled_at }) => disabled_at === null) ?? [];
  return new Map(enabled.flatMap(({ id, marketplaces }) => marketplaces.map((code) => [code, id] as const)));
}

/** Of what is there, and of what nobody fetches, there is nothing to try. */
function Retry({ entry, retryable, onRetried }: Omit<TroublesProps, 'entries'> & { readonly entry: CalendarEntry }) {
  const connectionId = retryable.get(entry.marketplace);
  if (connectionId === undefined || entry.state === 'there') return null;
  return <RetryPeriod connectionId={connectionId} entry={entry} onRetried={onRetried} />;
}

function RetryCommand({ marketplace }: { readonly marketplace: string }) {
  const command = `npx keyrank connection retry --marketplace ${marketplace}`;
  return (
    <p class="calendar-retry">
      The operator tries what failed again with <code>{command}</code>{' '}
      <button
        type="button"
        class="button is-small"
        aria-label={`Copy the command for ${marketplace}`}
        onClick={() => copyText(command, 'Copied.')}
      >
        Copy
      </button>
    </p>
  );
}
