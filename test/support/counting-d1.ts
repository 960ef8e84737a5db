import { countingD1 as countInto, type D1Counts, noD1Counts } from "#sandbox/d1-counter.ts";

export interface CountingD1 {
  readonly d1: D1Database;
  readonly count: D1Counts;
  reset(): void;
}

/** The binding, counted from zero. */
export function countingD1(inner: D1Database): CountingD1 {
  const count = noD1Counts();
  return { d1: countInto(inner, count), count, reset: () => void Object.assign(count, noD1Counts()) };
}
