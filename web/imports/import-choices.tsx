import type { ReportImport } from '../api/wire.ts';

/** How a file is read, as the form has it: texts, empty for what the file says itself. */
export interface Choices {
  readonly marketplace: string;
  readonly type: string;
  readonly period: string;
  readonly source: string;
  readonly maxRejects: string;
  readonly replaceSmaller: boolean;
  readonly publishWhenClean: boolean;
}

export const NO_CHOICES: Choices = {
  ...{ marketplace: '', type: '', period: '', source: 'search', maxRejects: '1' },
  ...{ replaceSmaller: false, publishWhenClean: false },
};

export function choicesOf(each: ReportImport): Choices {
  return {
    marketplace: each.marketplace ?? '',
    type: each.type ?? '',
    period: each.period ?? '',
    source: each.source,
    maxRejects: String(each.max_rejects),
    replaceSmaller: each.replace_smaller,
    publishWhenClean: each.publish_when_clean,
  };
}

/** As the API takes them. */
export function presentChoices(choices: Choices): Readonly<Record<string, unknown>> {
  return {
    marketplace: choices.marketplace.trim() || null,
    type: choices.type || null,
    period: choices.period.trim() || null,
    source: choices.source,
    max_rejects: Number(choices.maxRejects.replace(',', '.')),
    replace_smaller: choices.replaceSmaller,
    publish_when_clean: choices.publishWhenClean,
  };
}

interface FormProps {
  readonly choices: Choices;
  readonly onChange: (choices: Choices) => void;
}

export function ChoicesForm({ choices, onChange }: FormProps) {
  const text = (name: 'marketplace' | 'period' | 'maxRejects') => ({
    value: choices[name],
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      onChange({ ...choices, [name]: event.currentTarget.value }),
  });
  const pick = (name: 'type' | 'source') => ({
    value: choices[name],
    onChange: (event: { readonly currentTarget: HTMLSelectElement }) =>
      onChange({ ...choices, [name]: event.currentTarget.value }),
  });
  const check = (name: 'replaceSmaller' | 'publishWhenClean') => ({
    checked: choices[name],
    onChange: (event: { readonly currentTarget: HTMLInputElement }) =>
      onChange({ ...choices, [name]: event.currentTarget.checked }),
  });
  return (
    <div class="import-choices">
      <label class="field">
        <span>Marketplace</span>
        <input type="text" placeholder="as the file says" maxLength={2} size={13} {...text('marketplace')} />
      </label>
      <label class="field">
        <span>Frequency</span>
        <select {...pick('type')}>
          <option value="">as the file says</option>
          <option value="weekly">weekly</option>
          <option value="monthly">monthly</option>
        </select>
      </label>
      <label class="field">
        <span>Period</span>
        <input type="text" placeholder="28-2026" maxLength={7} size={8} {...text('period')} />
      </label>
      <label class="field">
        <span>Ranks of</span>
        <select {...pick('source')}>
          <option value="search">retail search</option>
          <option value="social">social media</option>
        </select>
      </label>
      <label class="field">
        <span>Bad rows allowed, %</span>
        <input type="text" inputMode="decimal" size={6} {...text('maxRejects')} />
      </label>
      <label class="check">
        <input type="checkbox" {...check('replaceSmaller')} />
        May replace a period of more than twice its keywords
      </label>
      <label class="check">
        <input type="checkbox" {...check('publishWhenClean')} />
        Publish at once when nothing is odd and nothing is replaced
      </label>
    </div>
  );
}
