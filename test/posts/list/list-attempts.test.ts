import { beforeEach, describe, expect, test } from "vitest";
import { listAttempts } from "#posts/index.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  refusalOf,
  schedulePost,
  updateTargetRow,
} from "../test-context.ts";

beforeEach(() => freezeClock());

describe("listAttempts", () => {
  test("returns the attempts of all targets, oldest first", async () => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx, "instagram")];
    const post = await schedulePost(ctx, { accountIds: [x, y] });
    expect(await listAttempts(ctx, { id: post.id })).toEqual([]);
    const attempt = (at: number) => ({
      at,
      step: "commit",
      outcome: "rate_limited",
      httpStatus: 429,
      platformCode: "88",
      message: "wait",
      nextAttemptAt: at + 1,
    });
    await updateTargetRow(post.id, x, { history: JSON.stringify([attempt(1), attempt(3)]) });
    await updateTargetRow(post.id, y, { history: JSON.stringify([attempt(2)]) });
    const attempts = await listAttempts(ctx, { id: post.id });
    expect(attempts).toEqual([
      { accountId: x, platform: "x", ...attempt(1) },
      { accountId: y, platform: "instagram", ...attempt(2) },
      { accountId: x, platform: "x", ...attempt(3) },
    ]);
    const forOther = await refusalOf(listAttempts(createTestContext(), { id: post.id }));
    expect(forOther).toEqual(await refusalOf(listAttempts(createTestContext(), { id: crypto.randomUUID() })));
  });
});
