/** Arithmetic of which each step needs the one before, so that it takes as long as the processor's clock says, and no memory. */
export function calculate(steps: number): number {
  let value = 1;
  for (let n = 0; n < steps; n += 1) value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0;
  return value;
}
