import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { PriorityRule, TrackedKeyword } from '../api/wire.ts';
import { formatNumber } from '../parts/format.ts';
import { showToast } from '../parts/toast.tsx';
import { explain, loadTracked } from './tracked-terms.ts';

const FIELDS: Readonly<Record<PriorityRule['field'], string>> = {
  latest_rank: 'latest rank',
  rank_change: 'change',
  best_rank: 'best rank',
  worst_rank: 'worst rank',
  avg_rank: 'average rank',
};
const OPERATORS: Readonly<Record<PriorityRule['operator'], string>> = {
  lt: '<',
  lte: '≤',
  gt: '>',
  gte: '≥',
  eq: '=',
};

export function RuleText({ rule }: { readonly rule: PriorityRule }) {
  return (
    <span class="rule-text">
      {FIELDS[rule.field]} {OPERATORS[rule.operator]} <span class="numbers">{formatNumber(rule.value)}</span>
    </span>
  );
}

interface RuleFormProps {
  readonly keyword: TrackedKeyword;
  readonly onDone: () => void;
}

export function RuleForm({ keyword, onDone }: RuleFormProps) {
  const [isEnabled, setEnabled] = useState(keyword.priority_enabled);
  const [rule, setRule] = useState(keyword.priority_rule);
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      const body = { priority_enabled: isEnabled, priority_rule: rule };
      await ask(`/v1/tracked-keywords/${keyword.id}`, { method: 'PATCH', body });
      onDone();
      await loadTracked();
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
  };
  return (
    <form class="rule-form" onSubmit={save}>
      <label class="check">
        <input type="checkbox" checked={isEnabled} onChange={(event) => setEnabled(event.currentTarget.checked)} />
        Alert me when a new period has
      </label>
      <div class="rule-line">
        <Choice label="Field" texts={FIELDS} value={rule.field} onChange={(field) => setRule({ ...rule, field })} />
        <Choice
          label="Comparison"
          texts={OPERATORS}
          value={rule.operator}
          onChange={(operator) => setRule({ ...rule, operator })}
        />
        <input
          type="number"
          aria-label="Value"
          value={rule.value}
          onInput={(event) => setRule({ ...rule, value: Number(event.currentTarget.value) })}
        />
      </div>
      <button type="submit" class="button is-primary">
        Save rule
      </button>
    </form>
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
