/**
 * The cost of a password hash: 16 MiB and about 100 ms. These are the strongest scrypt parameters that leave memory for other requests in
 * the same isolate. The tests in the Workers runtime replace this file (vitest.config.ts); no setting of the service does.
 */
export const PASSWORD_COST = { N: 2 ** 14, r: 8, p: 5 } as const;

/** Hashes start at least this far apart. At 100 ms for each, sign-in uses less than half of an isolate's time. */
export const MIN_SLOT_MS = 250;
