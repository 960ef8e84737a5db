import { describe, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { nextTryAt } from "#webhooks/delivery/retry-schedule.ts";

const NOW = Date.UTC(2030, 0, 1);
const LOWEST = 0;
const MIDDLE = 0.5;
/** Just below 1, which no random number reaches. */
const HIGHEST = 1 - 2 ** -32;
const waitOf = (failures: number, random: number, retryAfterMs: number | null = null) => {
  const at = nextTryAt({ failures, now: NOW, random, retryAfterMs });
  return at === null ? null : at - NOW;
};

describe("the wait after a failure", () => {
  test.for([
    [1, 5 * SECOND],
    [2, MINUTE],
    [3, 5 * MINUTE],
    [4, 30 * MINUTE],
    [5, 2 * HOUR],
    [6, 5 * HOUR],
    [7, 10 * HOUR],
    [8, 14 * HOUR],
    [9, 20 * HOUR],
    [10, 24 * HOUR],
  ] as const)("%i: %i ms, a fifth shorter or longer", ([failures, ms], { expect }) => {
    expect([LOWEST, MIDDLE, HIGHEST].map((random) => waitOf(failures, random))).toEqual([0.8 * ms, ms, 1.2 * ms]);
  });

  test("after the tenth retry there is none", ({ expect }) => {
    expect(waitOf(11, MIDDLE)).toBeNull();
    expect(waitOf(11, MIDDLE, HOUR)).toBeNull();
  });

  test("is never shorter than what the receiver asked for, nor than planned", ({ expect }) => {
    expect(waitOf(1, LOWEST, DAY)).toBe(DAY);
    expect(waitOf(4, MIDDLE, SECOND)).toBe(30 * MINUTE);
  });
});
