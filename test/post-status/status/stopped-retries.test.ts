import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { cancelPost, disconnectAccount, pausePost, pausePostsOfAccounts } from "#post-status/index.ts";
import { getPost, listPosts } from "#posts/index.ts";
import { pausePostsForSubscription } from "#post-status/subscription/pause-posts-for-subscription.ts";
import { expectedDayCounters, storedDayCounters } from "../../posts/summary/day-counters.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  readPostRow,
  refusalOf,
  schedulePost,
  updateAccountRow,
  updateTargetRow,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

/** A post whose first target has ended and whose second is scheduled again. */
async function createRetry(firstState: "published" | "unconfirmed" = "published") {
  const ctx = createTestContext();
  const [ended, retried] = [await createAccount(ctx), await createAccount(ctx)];
  const { id } = await schedulePost(ctx, { accountIds: [ended, retried] });
  await updateTargetRow(id, ended, { state: firstState });
  const readStates = async () => {
    const { status, targets } = await getPost(ctx, { id });
    return { status, targets: Object.fromEntries(targets.map((target) => [target.accountId, target.status])) };
  };
  return { ctx, id, ended, retried, readStates };
}

describe("a retry of a post of which something is public", () => {
  test.for([
    ["published", "partially_failed"],
    ["unconfirmed", "failed"],
  ] as const)("is stopped by a cancel (%s): the post is %s and stays in the lists", async ([state, status]) => {
    const { ctx, id, ended, retried, readStates } = await createRetry(state);
    expect(await cancelPost(ctx, { id })).toEqual({ id, status });
    expect(await readStates()).toEqual({ status, targets: { [ended]: state, [retried]: "skipped" } });
    expect(await readPostRow(id)).toMatchObject({ watch_at: null, version: 2 });
    const { pagination } = await listPosts(ctx, { limit: 1, offset: 0, fields: "full", order: "asc" });
    expect(pagination.total).toBe(1);
    expect(await storedDayCounters(ctx.actor.workspaceId)).toEqual(await expectedDayCounters(ctx.actor.workspaceId));
    await ctx.waitForDeferred();
    expect(ctx.hints.at(-1)).toMatchObject({ postId: id, version: 2, status });
    expect(await refusalOf(cancelPost(ctx, { id }))).toMatchObject({ code: "invalid_state" });
  });

  test("is stopped when its last account is disconnected", async () => {
    const { ctx, id, ended, retried, readStates } = await createRetry();
    expect(await disconnectAccount(ctx, { accountId: retried })).toMatchObject({ pausedPostIds: [] });
    expect(await readStates()).toEqual({
      status: "partially_failed",
      targets: { [ended]: "published", [retried]: "skipped" },
    });
    expect(await readPostRow(id)).toMatchObject({ watch_at: null, version: 2 });
    await ctx.waitForDeferred();
    expect(ctx.hints.at(-1)).toMatchObject({ postId: id, status: "partially_failed" });
  });

  test("is not stopped when the account that has it is disconnected", async () => {
    const { ctx, ended, retried, readStates } = await createRetry();
    await disconnectAccount(ctx, { accountId: ended });
    expect(await readStates()).toMatchObject({ status: "scheduled", targets: { [retried]: "pending" } });
  });

  test("is stopped when the subscription has lapsed", async () => {
    const { ctx, ended, retried, readStates } = await createRetry();
    const { userId, workspaceId } = ctx.actor;
    const workspace = "INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Home', 1)";
    await env.DB.prepare(workspace).bind(workspaceId, userId).run();
    await pausePostsForSubscription(ctx, [userId]);
    expect(await readStates()).toEqual({
      status: "partially_failed",
      targets: { [ended]: "published", [retried]: "skipped" },
    });
  });

  test("is never paused, by its owner or for an account", async () => {
    const { ctx, id, retried, readStates } = await createRetry();
    expect(await refusalOf(pausePost(ctx, { id }))).toMatchObject({ code: "invalid_state" });
    await updateAccountRow(retried, { status: "needs_reconnect" });
    expect(await pausePostsOfAccounts(ctx, [retried])).toEqual({ pausedPostIds: [] });
    expect(await readStates()).toMatchObject({ status: "scheduled" });
  });
});
