import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import type { ConnectionRow } from '../api/wire.ts';
import { useAttempt } from '../app/use-attempt.ts';
import { TextField } from '../parts/text-field.tsx';
import { showToast } from '../parts/toast.tsx';
import { REGIONS } from './regions.ts';
import { areEntered, NO_SECRETS, SecretFields } from './secret-fields.tsx';

const LOOK_BACKS = [
  { name: 'look_back_weeks', label: 'Weeks to look back' },
  { name: 'look_back_months', label: 'Months to look back' },
] as const;

interface LookBack {
  readonly look_back_weeks: string;
  readonly look_back_months: string;
  readonly since: string;
}

interface NewConnection extends LookBack {
  readonly name: string;
  readonly client_id: string;
  readonly region: ConnectionRow['region'];
  readonly marketplaces: readonly string[];
  readonly secrets: typeof NO_SECRETS;
}

const NOTHING: NewConnection = {
  name: '',
  client_id: '',
  region: 'na',
  marketplaces: [],
  secrets: NO_SECRETS,
  look_back_weeks: '8',
  look_back_months: '3',
  since: '',
};

interface ConnectionFormProps {
  /** Marketplaces that are fetched already. */
  readonly taken: readonly string[];
  readonly onAdded: () => void;
}

export function ConnectionForm({ taken, onAdded }: ConnectionFormProps) {
  const { entered, enter, isReady, isAsking, fault, add } = useNewConnection(onAdded);
  const { name, client_id, region, marketplaces, secrets } = entered;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Connect an account</h2>
      </header>
      <p class="muted">
        Amazon is asked with the secrets before anything is kept. They are kept sealed and never shown again.
      </p>
      <form class="team-form" onSubmit={add} noValidate>
        <TextField label="Name" value={name} placeholder="acme-na" onText={(text) => enter({ name: text })} />
        <RegionChoice region={region} onChange={(chosen) => enter({ region: chosen, marketplaces: [] })} />
        <MarketplaceChoice
          region={region}
          taken={taken}
          chosen={marketplaces}
          onChange={(chosen) => enter({ marketplaces: chosen })}
        />
        <TextField
          label="Client id"
          value={client_id}
          placeholder="amzn1.application-oa2-client.…"
          onText={(text) => enter({ client_id: text })}
        />
        <SecretFields secrets={secrets} onChange={(given) => enter({ secrets: given })} />
        <LookBackFields texts={entered} onChange={enter} />
        <button type="submit" class="button is-primary" disabled={!isReady || isAsking}>
          {isAsking ? 'Amazon is asked …' : 'Connect'}
        </button>
        {fault !== null && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
      </form>
    </section>
  );
}

function useNewConnection(onAdded: () => void) {
  const [entered, setEntered] = useState(NOTHING);
  const [isAsking, setAsking] = useState(false);
  const { fault, attempt } = useAttempt();
  const { region, marketplaces, secrets, since } = entered;
  const [name, clientId] = [entered.name.trim(), entered.client_id.trim()];
  const enter = (more: Partial<NewConnection>): void => setEntered((before) => ({ ...before, ...more }));
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    setAsking(true);
    await attempt(async () => {
      const lookBack = Object.fromEntries(LOOK_BACKS.map((each) => [each.name, Number(entered[each.name])]));
      const given = { name, region, marketplaces, client_id: clientId, ...lookBack, ...secrets };
      await ask('/v1/connections', { method: 'POST', body: since === '' ? given : { ...given, since } });
      // Nothing of them stays in the page.
      setEntered({ ...NOTHING, region });
      showToast(`${name} is connected. The first reports come within the hour.`);
      onAdded();
    });
    setAsking(false);
  };
  const isReady = name !== '' && clientId !== '' && marketplaces.length > 0 && areEntered(secrets);
  return { entered, enter, isReady, isAsking, fault, add };
}

interface RegionChoiceProps {
  readonly region: ConnectionRow['region'];
  readonly onChange: (region: ConnectionRow['region']) => void;
}

function RegionChoice({ region, onChange }: RegionChoiceProps) {
  return (
    <label class="field">
      <span>Region</span>
      <select value={region} onChange={(event) => onChange(event.currentTarget.value as ConnectionRow['region'])}>
        {REGIONS.map((each) => (
          <option key={each.name} value={each.name}>
            {each.text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface LookBackFieldsProps {
  readonly texts: LookBack;
  readonly onChange: (more: Partial<LookBack>) => void;
}

function LookBackFields({ texts, onChange }: LookBackFieldsProps) {
  return (
    <details class="connection-more">
      <summary>How far back</summary>
      <div class="team-form">
        {LOOK_BACKS.map(({ name, label }) => (
          <TextField key={name} label={label} value={texts[name]} onText={(text) => onChange({ [name]: text })} />
        ))}
        <label class="field">
          <span>Older ones too, since</span>
          <input type="date" value={texts.since} onInput={(event) => onChange({ since: event.currentTarget.value })} />
        </label>
      </div>
    </details>
  );
}

interface MarketplaceChoiceProps {
  readonly region: ConnectionRow['region'];
  readonly taken: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (codes: readonly string[]) => void;
}

function MarketplaceChoice({ region, taken, chosen, onChange }: MarketplaceChoiceProps) {
  const codes = REGIONS.find(({ name }) => name === region)?.codes ?? [];
  return (
    <fieldset class="team-scopes">
      <legend>Marketplaces</legend>
      {codes.map((code) => (
        <label key={code} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(code)}
            disabled={taken.includes(code)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...chosen, code] : chosen.filter((each) => each !== code))
            }
          />
          {code}
        </label>
      ))}
    </fieldset>
  );
}
