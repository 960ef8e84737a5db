/* Replaces src/auth/passwords/password-cost.ts in the Workers tests: a user who signs in costs a millisecond instead of a quarter of a second. */

export const PASSWORD_COST = { N: 2, r: 1, p: 1 } as const;

export const MIN_SLOT_MS = 0;
