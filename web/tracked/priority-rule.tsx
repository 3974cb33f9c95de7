import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { PriorityRule, TrackedKeyword } from '../api/wire.ts';
import { formatNumber } from '../parts/format.ts';
import { showToast } from '../parts/toast.tsx';
import { describeRule, FIELD_WORDS, isRuleMet, operatorWords, suggestRule } from './rule-words.ts';
import { explain, loadTracked } from './tracked-terms.ts';

interface RuleFormProps {
  readonly keyword: TrackedKeyword;
  readonly onDone: () => void;
}

/** Saving switches the alert on; what switches it off says so. */
export function RuleForm({ keyword, onDone }: RuleFormProps) {
  const rule = useRule(suggestRule(keyword));
  const { typed, isNumber } = rule;

  const save = async (body: Readonly<Record<string, unknown>>, done: string) => {
    try {
      await ask(`/v1/tracked-keywords/${keyword.id}`, { method: 'PATCH', body });
      onDone();
      showToast(done);
      await loadTracked();
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void save({ priority_enabled: true, priority_rule: typed }, `Alert set: ${describeRule(typed)}.`);
  };
  return (
    <form class="rule-form" onSubmit={submit}>
      <p>Alert me when a new period comes and its</p>
      <RuleLine rule={rule} />
      {isNumber && <RuleMeaning rule={typed} keyword={keyword} />}
      <div class="rule-line">
        <button type="submit" class="button is-primary" disabled={!isNumber}>
          {keyword.priority_enabled ? 'Save alert' : 'Switch the alert on'}
        </button>
        {keyword.priority_enabled && (
          <button type="button" class="button" onClick={() => save({ priority_enabled: false }, 'Alert switched off.')}>
            Switch it off
          </button>
        )}
      </div>
    </form>
  );
}

interface EditedRule {
  readonly typed: PriorityRule;
  /** What stands in the box for the number, which may be none yet. */
  readonly value: string;
  readonly isNumber: boolean;
  readonly set: (change: Partial<Omit<PriorityRule, 'value'>> & { readonly value?: string }) => void;
}

export function useRule(first: PriorityRule): EditedRule {
  const [rule, setRule] = useState({ ...first, value: String(first.value) });
  const typed = { ...rule, value: Number(rule.value) };
  const isNumber = rule.value.trim() !== '' && Number.isFinite(typed.value);
  return { typed, value: rule.value, isNumber, set: (change) => setRule({ ...rule, ...change }) };
}

export function RuleLine({ rule: { typed, value, set } }: { readonly rule: EditedRule }) {
  return (
    <div class="rule-line">
      <Choice label="Field" texts={FIELD_WORDS} value={typed.field} onChange={(field) => set({ field })} />
      <Choice
        label="Comparison"
        texts={operatorWords(typed.field)}
        value={typed.operator}
        onChange={(operator) => set({ operator })}
      />
      <input
        type="number"
        aria-label="Value"
        value={value}
        onInput={(event) => set({ value: event.currentTarget.value })}
      />
    </div>
  );
}

/** What the rule says, and whether it would have raised an alert already. */
function RuleMeaning({ rule, keyword }: { readonly rule: PriorityRule; readonly keyword: TrackedKeyword }) {
  const isMet = isRuleMet(rule, keyword);
  const actual = keyword.snapshot[rule.field];
  return (
    <p class="rule-meaning muted" role="status">
      Alerts when: <b>{describeRule(rule)}</b>.
      {rule.field === 'rank_change' && ' A climb counts above 0, a fall below it.'}
      {isMet !== undefined && actual !== null && (
        <>
          {' '}
          Its {FIELD_WORDS[rule.field]} is {formatNumber(actual)} now
          {isMet ? ': met already, so expect an alert with every period that leaves it so.' : ': not met yet.'}
        </>
      )}
    </p>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly texts: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, texts, value, onChange }: ChoiceProps<Value>) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
      {Object.entries<string>(texts).map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}
