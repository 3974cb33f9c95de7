// Most failures are those of many endpoints: they stand in the OpenAPI document once, and references to them everywhere else.

export interface DocumentedFailure {
  readonly content: { readonly 'application/json': { readonly examples: Readonly<Record<string, unknown>> } };
}

export interface Reference {
  readonly $ref: string;
}

/** Failures of one operation by status, and the same with references to those that others have too. */
export type ShareFailures = (
  failures: Readonly<Record<string, DocumentedFailure>>,
) => Readonly<Record<string, DocumentedFailure | Reference>>;

export function shareFailures(all: readonly Readonly<Record<string, DocumentedFailure>>[]): {
  readonly responses: Readonly<Record<string, DocumentedFailure>>;
  readonly share: ShareFailures;
} {
  const uses = new Map<string, number>();
  for (const failure of all.flatMap((each) => Object.values(each))) {
    const text = JSON.stringify(failure);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const responses: Record<string, DocumentedFailure> = {};
  const names = new Map<string, string>();
  for (const [text, count] of uses) {
    if (count === 1) continue;
    const failure = JSON.parse(text) as DocumentedFailure;
    const name = freeName(Object.keys(failure.content['application/json'].examples).join('.'), responses);
    names.set(text, name);
    responses[name] = failure;
  }
  const share: ShareFailures = (failures) =>
    Object.fromEntries(
      Object.entries(failures).map(([status, failure]) => {
        const name = names.get(JSON.stringify(failure));
        return [status, name === undefined ? failure : { $ref: `#/components/responses/${name}` }];
      }),
    );
  return { responses, share };
}

/** The same codes come with different headers and words. */
function freeName(wanted: string, taken: Readonly<Record<string, unknown>>): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (!(name in taken)) return name;
  }
}
