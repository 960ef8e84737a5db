import { describe, expect, test } from "vitest";
import { SECOND } from "#core/clock.ts";
import { refuse, type Refusal } from "#core/errors.ts";
import { repeatUntilVisible } from "#confirming/index.ts";
import { refusalOf } from "../../posts/test-context.ts";

const hidden = (retryAfterSeconds: number): Refusal => ({
  code: "token_not_visible_yet",
  message: "not yet",
  retryAfterSeconds,
});

/** Confirms that are refused in this order, and then done; and the waits between them. */
function scripted(refusals: readonly Refusal[]) {
  const left = [...refusals];
  const waits: number[] = [];
  const confirm = () => {
    const refusal = left.shift();
    return refusal ? Promise.resolve().then(() => refuse(refusal)) : Promise.resolve("done");
  };
  const sleep = (ms: number) => {
    waits.push(ms);
    return Promise.resolve();
  };
  return { waits, run: () => repeatUntilVisible(confirm, sleep) };
}

describe("a confirm whose token is not visible yet", () => {
  test("is repeated after the time that each refusal names", async () => {
    const { waits, run } = scripted([hidden(1), hidden(1), hidden(2)]);
    expect(await run()).toBe("done");
    expect(waits).toEqual([SECOND, SECOND, 2 * SECOND]);
  });

  test("is given up after 20 s with its last refusal", async () => {
    const { waits, run } = scripted([hidden(8), hidden(12), hidden(1)]);
    expect(await refusalOf(run())).toMatchObject(hidden(1));
    expect(waits).toEqual([8 * SECOND, 12 * SECOND]);
  });

  test("is not repeated after any other refusal", async () => {
    const { waits, run } = scripted([hidden(1), { code: "token_already_used", message: "used", postIds: ["a"] }]);
    expect(await refusalOf(run())).toMatchObject({ code: "token_already_used" });
    expect(waits).toEqual([SECOND]);
  });
});
