import type { Promised } from './promised.ts';

export const contractFuzz: readonly Promised[] = [];
