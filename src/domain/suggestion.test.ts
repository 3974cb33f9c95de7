import { describe, expect, it } from 'vitest';
import type { Period } from './period.ts';
import { MAX_SUGGESTIONS, planSuggestions } from './suggestion.ts';

const published: readonly Period[] = Array.from({ length: 8 }, (_, i) => ({
  frequency: 'weekly',
  year: 2026,
  number: i + 1,
}));

function plan(text: string) {
  return planSuggestions({ text, frequency: 'weekly', limit: MAX_SUGGESTIONS }, { plan: 'pro', published });
}

describe('planning suggestions', () => {
  it('sets the unfinished word apart from the finished ones, each of them once', () => {
    expect(plan('USB  Cable usb-c ca')).toEqual({
      window: published.slice(2),
      text: 'usb cable usb-c ca',
      finishedWords: ['usb', 'cable', 'c'],
      lastWord: 'ca',
      limit: 10,
    });
  });

  it('has no words where there are none', () => {
    expect(plan('🎄')).toMatchObject({ text: '🎄', finishedWords: [], lastWord: undefined });
  });
});
