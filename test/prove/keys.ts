import type { Promised } from './promised.ts';

export const keys: readonly Promised[] = [];
