import { describe, expect, it } from 'vitest';
import { parseProductId } from './product-id.ts';

describe('the id of a product', () => {
  it.each([
    ['B0CHX1W1XY', 'B0CHX1W1XY'],
    ['b0chx1w1xy', 'B0CHX1W1XY'],
    ['0306406152', '0306406152'],
    ['7', '7'],
    ['12345678901234567890', '12345678901234567890'],
  ])('%s is read as %s', (text, id) => {
    expect(parseProductId(text)).toBe(id);
  });

  it.each(['', ' ', '123456789012345678901', 'B0-1', 'B0 1', '１２', 'ß', '5\n'])('%j is none', (text) => {
    expect(parseProductId(text)).toBeUndefined();
  });
});
