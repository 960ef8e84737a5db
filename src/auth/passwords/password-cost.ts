/**
 * The scrypt parameters of a password hash: 16 MiB and about 100 ms. Stronger ones would leave too little memory for
 * other requests in the isolate. Tests in the Workers runtime replace this file (vitest.config.ts); no setting of the
 * service does.
 */
export const PASSWORD_COST = { N: 2 ** 14, r: 8, p: 5 } as const;

/**
 * The shortest time (ms) between the starts of two hashes. A hash takes 100 ms, so sign-in uses less than half of an
 * isolate's time.
 */
export const MIN_SLOT_MS = 250;
