/** Terms out of pasted text, one per line or cell, each once: a column of a spreadsheet fits as it is. */
export function parseTerms(text: string): readonly string[] {
  const lines = text.split(/[\r\n\t]+/).map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}
