// The colours of what is compared, in the order in which it was added. A dash tells the later ones apart without colour.
export const SERIES_DASHES: readonly (readonly number[])[] = [[], [], [7, 4], [2, 3], [9, 3, 2, 3]];

export function seriesVariable(index: number): string {
  return `--series-${index + 1}`;
}
