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
const NOTHING = { name: '', client_id: '', look_back_weeks: '8', look_back_months: '3', since: '' };

type LookBack = Pick<typeof NOTHING, 'look_back_weeks' | 'look_back_months' | 'since'>;

interface ConnectionFormProps {
  /** Marketplaces that are fetched already. */
  readonly taken: readonly string[];
  readonly onAdded: () => void;
}

export function ConnectionForm({ taken, onAdded }: ConnectionFormProps) {
  const [texts, setTexts] = useState(NOTHING);
  const [region, setRegion] = useState<ConnectionRow['region']>('na');
  const [marketplaces, setMarketplaces] = useState<readonly string[]>([]);
  const [secrets, setSecrets] = useState(NO_SECRETS);
  const [isAsking, setAsking] = useState(false);
  const { fault, attempt } = useAttempt();
  const set = (name: keyof typeof NOTHING) => (text: string) => setTexts({ ...texts, [name]: text });
  const { name, client_id, look_back_weeks, look_back_months, since } = texts;
  const add = async (event: Event) => {
    event.preventDefault();
    setAsking(true);
    await attempt(async () => {
      const lookBack = { look_back_weeks: Number(look_back_weeks), look_back_months: Number(look_back_months) };
      const given = { name: name.trim(), region, marketplaces, client_id: client_id.trim(), ...lookBack, ...secrets };
      await ask('/v1/connections', { method: 'POST', body: since === '' ? given : { ...given, since } });
      // Nothing of them stays in the page.
      setSecrets(NO_SECRETS);
      setTexts(NOTHING);
      setMarketplaces([]);
      showToast(`${given.name} is connected. The first reports come within the hour.`);
      onAdded();
    });
    setAsking(false);
  };
  const isReady = name.trim() !== '' && client_id.trim() !== '' && marketplaces.length > 0 && areEntered(secrets);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Connect an account</h2>
      </header>
      <p class="muted">
        Amazon is asked with the secrets before anything is kept. They are kept sealed and never shown again.
      </p>
      <form class="team-form" onSubmit={add} noValidate>
        <TextField label="Name" value={name} placeholder="acme-na" onText={set('name')} />
        <RegionChoice
          region={region}
          onChange={(chosen) => {
            setRegion(chosen);
            setMarketplaces([]);
          }}
        />
        <MarketplaceChoice region={region} taken={taken} chosen={marketplaces} onChange={setMarketplaces} />
        <TextField
          label="Client id"
          value={client_id}
          placeholder="amzn1.application-oa2-client.…"
          onText={set('client_id')}
        />
        <SecretFields secrets={secrets} onChange={setSecrets} />
        <LookBackFields texts={texts} onChange={(more) => setTexts({ ...texts, ...more })} />
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
