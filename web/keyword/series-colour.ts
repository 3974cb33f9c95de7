// The colours of compared keywords, in the order in which they were added. A dash tells the later ones apart without colour.
export const SERIES_DASHES: readonly (readonly number[])[] = [[], [], [7, 4], [2, 3], [9, 3, 2, 3]];

/** The colour of a variable as the browser computes it, for a canvas. */
export function computedColour(variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export function seriesVariable(index: number): string {
  return `--series-${index + 1}`;
}
