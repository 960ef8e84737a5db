import { afterEach, beforeEach, vi } from "vitest";
import { DAY } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { Adapter } from "#platforms/contract.ts";
import { injectFault } from "./drive-simulator.ts";

/* What is added to a post once it is public, against a simulator that loses an answer. */

/** Every way in which the answer to a call is lost, and none. */
export const LOST_ANSWERS = ["nothing", "drop_before", "drop_after", "answer_after"] as const;

/** The next POST to `path` is lost like this; `failure` is the answer of `answer_after`. */
export async function loseAnswer(
  simulator: Adapter,
  path: string,
  effect: (typeof LOST_ANSWERS)[number],
  failure: JsonObject = { status: 503, body: "sorry" },
): Promise<void> {
  if (effect !== "nothing") {
    const match = { method: "POST", path };
    await injectFault(simulator, { match, times: 1, effect, ...(effect === "answer_after" && failure) });
  }
}

/** Sets the clock ten days later per test, so that tests share no quota. */
export function useQuotaFreeClock(from: string): void {
  let clock = Date.parse(from);
  beforeEach(() => {
    clock += 10 * DAY;
    vi.useFakeTimers({ toFake: ["Date"], now: clock });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}
