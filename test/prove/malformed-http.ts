import type { Promised } from './promised.ts';

export const malformedHttp: readonly Promised[] = [];
