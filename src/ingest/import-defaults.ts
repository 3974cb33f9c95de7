/** Share of bad rows above which a file is refused. */
export const DEFAULT_MAX_REJECTS = 0.01;
export const DEFAULT_MEMORY_LIMIT_BYTES = 1_500_000_000;
