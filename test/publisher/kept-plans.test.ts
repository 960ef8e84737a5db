import { describe, expect, test } from "vitest";
import { SECOND } from "#core/clock.ts";
import { KeptPlans } from "#publisher/kept-plans.ts";

describe("the plans that a user's object keeps", () => {
  test("are found until the first one is kept 90 s later", () => {
    const plans = new KeptPlans();
    plans.keep("a", "A", 0);
    plans.keep("b", "B", 1);
    expect([plans.find("a"), plans.find("b"), plans.find("c")]).toEqual(["A", "B", null]);
    plans.keep("c", "C", 90 * SECOND);
    expect([plans.find("a"), plans.find("b"), plans.find("c")]).toEqual([null, "B", "C"]);
  });

  test("take 16 million characters at most, of which the oldest are forgotten", () => {
    const plans = new KeptPlans();
    const keys = Array.from({ length: 20 }, (_, index) => `plan ${index}`);
    for (const key of keys) {
      plans.keep(key, "x".repeat(1024 * 1024), 0);
    }
    expect(keys.filter((key) => plans.find(key) !== null)).toEqual(keys.slice(4));
  });
});
