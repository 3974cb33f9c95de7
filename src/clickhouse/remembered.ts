const MAX_KNOWN = 200_000;

/** The same function, which is not asked again for texts that it has answered lately. */
export function remembered<T>(ask: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const answer = ask(text);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, answer);
    return answer;
  };
}
