import { describe, expect, it } from 'vitest';
import type { Period } from './period.ts';
import { PRO } from './plan.ts';
import { MAX_SUGGESTIONS, planSuggestions } from './suggestion.ts';

const published: readonly Period[] = Array.from({ length: 8 }, (_, i) => ({
  frequency: 'weekly',
  year: 2026,
  number: i + 1,
}));

function plan(text: string) {
  return planSuggestions({ text, frequency: 'weekly', limit: MAX_SUGGESTIONS }, { plan: PRO, published });
}

describe('planning suggestions', () => {
  it('carries the text with its words, the unfinished one last, as a search does', () => {
    expect(plan('USB  Cables crème ca')).toEqual({
      window: published.slice(2),
      text: {
        text: 'usb cables crème ca',
        words: [
          { spelling: 'usb', stem: 'usb' },
          { spelling: 'cables', stem: 'cabl' },
          { spelling: 'creme', stem: 'creme' },
          { spelling: 'ca', stem: 'ca' },
        ],
      },
      limit: 10,
    });
  });

  it('has no words where there are none', () => {
    expect(plan('🎄')).toMatchObject({ text: { text: '🎄', words: [] } });
  });
});
