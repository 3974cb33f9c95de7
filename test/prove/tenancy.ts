import type { Promised } from './promised.ts';

export const tenancy: readonly Promised[] = [];
