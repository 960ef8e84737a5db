import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, HOUR, SECOND } from "#core/clock.ts";
import {
  cancelPost,
  disconnectAccount,
  getPost,
  listAttempts,
  listPosts,
  pauseForAccounts,
  pausePost,
  readmitAccounts,
  resumePost,
} from "#posting/index.ts";
import { pauseForSubscription, resumeForSubscription } from "#posting/status/pause-for-subscription.ts";
import {
  account,
  force,
  forceTarget,
  type House,
  house,
  inAnHour,
  refusalOf,
  row,
  schedule,
  stopTheClock,
} from "./test-context.ts";

beforeEach(() => stopTheClock());

async function setAccount(id: string, columns: Record<string, string | number | null>): Promise<void> {
  const names = Object.keys(columns);
  await env.DB.prepare(`UPDATE accounts SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`)
    .bind(...Object.values(columns), id)
    .run();
}

function setSubscription({ actor }: House, status: "active" | "canceled"): D1PreparedStatement {
  return env.DB.prepare(
    `INSERT INTO subscriptions (user_id, plan, status, updated_at) VALUES (?1, 'growth', ?2, 1)
     ON CONFLICT (user_id) DO UPDATE SET status = ?2`,
  ).bind(actor.userId, status);
}

describe("cancel", () => {
  test("takes the post out of every list and leaves it readable", async () => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    ctx.counting.reset();
    expect(await cancelPost(ctx, { id: post.id })).toEqual({ id: post.id, status: "cancelled" });
    expect(ctx.counting.count.roundTrips).toBe(1);
    expect(await getPost(ctx, { id: post.id })).toMatchObject({ status: "cancelled", version: 2 });
    expect(await row(post.id)).toMatchObject({ watch_at: null });
    const { pagination } = await listPosts(ctx, { limit: 1, offset: 0, fields: "full", order: "asc" });
    expect(pagination.total).toBe(0);
    await ctx.settled();
    expect(ctx.hints.at(-1)).toMatchObject({ postId: post.id, version: 2, status: "cancelled" });
  });

  test.for(["publishing", "published", "partially_failed", "failed", "cancelled"])(
    "is refused for a %s post, which stays as it is",
    async (status, { expect }) => {
      const ctx = house();
      const post = await schedule(ctx, { accountIds: [await account(ctx)] });
      await force(post.id, { status });
      expect(await refusalOf(cancelPost(ctx, { id: post.id }))).toMatchObject({ code: "invalid_state" });
      expect(await row(post.id)).toMatchObject({ status, version: 1 });
    },
  );

  test("a paused post can be cancelled, another user's does not exist", async () => {
    const [ctx, stranger] = [house(), house()];
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    await pausePost(ctx, { id: post.id });
    const theirs = await refusalOf(cancelPost(stranger, { id: post.id }));
    expect(theirs).toEqual(await refusalOf(cancelPost(stranger, { id: "nonsense" })));
    await cancelPost(ctx, { id: post.id });
    expect(await row(post.id)).toMatchObject({ status: "cancelled", paused_reason: null });
  });

  test("of eight at once one succeeds", async () => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => cancelPost(ctx, { id: post.id })));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await row(post.id)).toMatchObject({ version: 2 });
  });
});

describe("pause and resume", () => {
  test("hold a post back and let it go on", async () => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    expect(await pausePost(ctx, { id: post.id })).toMatchObject({ status: "paused", pausedReason: "user", version: 2 });
    expect(await row(post.id)).toMatchObject({ watch_at: null });
    expect(await refusalOf(pausePost(ctx, { id: post.id }))).toMatchObject({ code: "invalid_state" });
    const resumed = await resumePost(ctx, { id: post.id });
    expect(resumed).toMatchObject({ status: "scheduled", pausedReason: null, version: 3 });
    await ctx.settled();
    expect(await row(post.id)).toMatchObject({ watch_at: post.scheduledAt + 60 * SECOND });
    expect(ctx.hints.at(-1)).toMatchObject({ version: 3, status: "scheduled" });
    expect(await refusalOf(resumePost(ctx, { id: post.id }))).toMatchObject({ code: "invalid_state" });
  });

  test("a post whose time has passed, or that nothing can be posted to, cannot go on", async () => {
    const ctx = house();
    const x = await account(ctx);
    const post = await schedule(ctx, { accountIds: [x] });
    await pausePost(ctx, { id: post.id });
    await setAccount(x, { status: "needs_reconnect" });
    expect(await refusalOf(resumePost(ctx, { id: post.id }))).toMatchObject({
      code: "invalid_state",
      message: expect.stringContaining("accounts"),
    });
    await setAccount(x, { status: "active" });
    vi.setSystemTime(post.scheduledAt);
    expect(await refusalOf(resumePost(ctx, { id: post.id }))).toMatchObject({
      code: "invalid_state",
      message: expect.stringContaining("time"),
    });
  });

  test("nothing goes on without a subscription, and whose post it is stays unsaid", async () => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    await pausePost(ctx, { id: post.id });
    const lapsed = { ...ctx, actor: { ...ctx.actor, subscribed: false } };
    const refused = await refusalOf(resumePost(lapsed, { id: post.id }));
    expect(refused).toMatchObject({ code: "subscription_required" });
    expect(await refusalOf(resumePost(lapsed, { id: crypto.randomUUID() }))).toEqual(refused);
    expect(await row(post.id)).toMatchObject({ status: "paused", paused_reason: "user", version: 2, watch_at: null });
  });
});

describe("disconnect", () => {
  test("skips what was not published there, pauses what is left with nothing, tells both", async () => {
    const ctx = house();
    const [x, y] = [await account(ctx), await account(ctx)];
    const alone = await schedule(ctx, { accountIds: [x] });
    const together = await schedule(ctx, { accountIds: [x, y] });
    const held = await schedule(ctx, { accountIds: [x] });
    const done = await schedule(ctx, { accountIds: [x] });
    const untouched = await schedule(ctx, { accountIds: [y] });
    await pausePost(ctx, { id: held.id });
    await force(done.id, { status: "published" });
    await forceTarget(done.id, x, { state: "published" });
    await ctx.settled();
    ctx.hints.length = 0;
    expect(await disconnectAccount(ctx, { accountId: x })).toEqual({ id: x, platform: "x", pausedPostIds: [alone.id] });
    expect(await getPost(ctx, { id: alone.id })).toMatchObject({
      status: "paused",
      pausedReason: "account",
      version: 2,
      targets: [{ status: "skipped" }],
    });
    expect(await row(alone.id)).toMatchObject({ watch_at: null });
    const both = await getPost(ctx, { id: together.id });
    expect(both).toMatchObject({ status: "scheduled", version: 2, planHash: together.planHash });
    expect(new Map(both.targets.map(({ accountId, status }) => [accountId, status]))).toEqual(
      new Map([
        [x, "skipped"],
        [y, "pending"],
      ]),
    );
    expect(await getPost(ctx, { id: held.id })).toMatchObject({
      status: "paused",
      pausedReason: "user",
      targets: [{ status: "skipped" }],
    });
    expect(await getPost(ctx, { id: done.id })).toMatchObject({
      status: "published",
      version: 1,
      targets: [{ status: "published" }],
    });
    expect(await getPost(ctx, { id: untouched.id })).toMatchObject({ version: 1 });
    await ctx.settled();
    expect(ctx.hints.map(({ postId, version, status }) => [postId, version, status])).toEqual([
      [alone.id, 2, "paused"],
      [together.id, 2, "scheduled"],
    ]);
  });

  test("of another user's account, or twice, is of one that does not exist", async () => {
    const [ctx, stranger] = [house(), house()];
    const x = await account(ctx);
    const post = await schedule(ctx, { accountIds: [x] });
    const theirs = await refusalOf(disconnectAccount(stranger, { accountId: x }));
    expect(theirs).toEqual(await refusalOf(disconnectAccount(stranger, { accountId: crypto.randomUUID() })));
    expect(await row(post.id)).toMatchObject({ status: "scheduled", version: 1 });
    await disconnectAccount(ctx, { accountId: x });
    expect(await refusalOf(disconnectAccount(ctx, { accountId: x }))).toMatchObject({ code: "not_found" });
  });
});

describe("accounts that come and go", () => {
  test("a reconnected account takes its posts up again while they are still to come", async () => {
    const ctx = house();
    const [x, y] = [await account(ctx), await account(ctx)];
    const soon = await schedule(ctx, { accountIds: [x] });
    const later = await schedule(ctx, { accountIds: [x], scheduledAt: inAnHour(ctx) + DAY });
    const together = await schedule(ctx, { accountIds: [x, y], scheduledAt: inAnHour(ctx) + DAY });
    const held = await schedule(ctx, { accountIds: [x], scheduledAt: inAnHour(ctx) + DAY });
    await pausePost(ctx, { id: held.id });
    await disconnectAccount(ctx, { accountId: x });
    vi.setSystemTime(soon.scheduledAt + HOUR);
    await setAccount(x, { disconnected_at: null });
    const { resumedPostIds } = await readmitAccounts(ctx, [x]);
    expect(resumedPostIds.toSorted()).toEqual([later.id, together.id].toSorted());
    expect(await getPost(ctx, { id: later.id })).toMatchObject({
      status: "scheduled",
      pausedReason: null,
      targets: [{ status: "pending" }],
    });
    expect((await getPost(ctx, { id: together.id })).targets.map(({ status }) => status)).toEqual([
      "pending",
      "pending",
    ]);
    expect(await getPost(ctx, { id: soon.id })).toMatchObject({ status: "paused", targets: [{ status: "skipped" }] });
    expect(await getPost(ctx, { id: held.id })).toMatchObject({
      status: "paused",
      pausedReason: "user",
      targets: [{ status: "pending" }],
    });
    expect(await row(held.id)).toMatchObject({ watch_at: null });
    expect(await readmitAccounts(ctx, [x])).toEqual({ resumedPostIds: [] });
  });

  test("accounts in need of a login pause only the posts that have no other", async () => {
    const ctx = house();
    const [x, y] = [await account(ctx), await account(ctx)];
    const alone = await schedule(ctx, { accountIds: [x] });
    const together = await schedule(ctx, { accountIds: [x, y] });
    expect(await pauseForAccounts(ctx, [x])).toEqual({ pausedPostIds: [] });
    await setAccount(x, { status: "needs_reconnect" });
    expect(await pauseForAccounts(ctx, [x])).toEqual({ pausedPostIds: [alone.id] });
    expect(await pauseForAccounts(ctx, [x])).toEqual({ pausedPostIds: [] });
    expect(await getPost(ctx, { id: alone.id })).toMatchObject({
      status: "paused",
      pausedReason: "account",
      targets: [{ status: "pending" }],
    });
    expect(await getPost(ctx, { id: together.id })).toMatchObject({ status: "scheduled", version: 1 });
    await setAccount(x, { status: "active" });
    expect(await readmitAccounts(ctx, [x])).toEqual({ resumedPostIds: [alone.id] });
    expect(await row(alone.id)).toMatchObject({ status: "scheduled", version: 3 });
  });

  describe("while the subscription lapsed", () => {
    async function lapse(ctx: House): Promise<void> {
      const { userId, workspaceId } = ctx.actor;
      const workspace = "INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Home', 1)";
      await env.DB.prepare(workspace).bind(workspaceId, userId).run();
      await pauseForSubscription(ctx, [userId], [setSubscription(ctx, "canceled")]);
    }

    test("an account that comes back leaves its posts to the subscription, which frees them", async () => {
      const ctx = house();
      const [x, y] = [await account(ctx), await account(ctx)];
      const blocked = await schedule(ctx, { accountIds: [x] });
      const gone = await schedule(ctx, { accountIds: [y] });
      const held = await schedule(ctx, { accountIds: [x] });
      await pausePost(ctx, { id: held.id });
      await setAccount(x, { status: "needs_reconnect" });
      await pauseForAccounts(ctx, [x]);
      await disconnectAccount(ctx, { accountId: y });
      await lapse(ctx);
      await setAccount(x, { status: "active" });
      await setAccount(y, { disconnected_at: null });
      await ctx.settled();
      ctx.hints.length = 0;
      expect(await readmitAccounts(ctx, [x, y])).toEqual({ resumedPostIds: [] });
      for (const { id } of [blocked, gone]) {
        expect(await getPost(ctx, { id })).toMatchObject({
          status: "paused",
          pausedReason: "subscription",
          version: 3,
          targets: [{ status: "pending" }],
        });
        expect(await row(id)).toMatchObject({ watch_at: null });
      }
      expect(await getPost(ctx, { id: held.id })).toMatchObject({ status: "paused", pausedReason: "user" });
      expect(await readmitAccounts(ctx, [x, y])).toEqual({ resumedPostIds: [] });
      await ctx.settled();
      expect(ctx.hints).toEqual([]);
      await setSubscription(ctx, "active").run();
      await resumeForSubscription(ctx, [ctx.actor.userId]);
      expect(await row(blocked.id)).toMatchObject({ status: "scheduled", paused_reason: null, version: 4 });
      expect(await row(gone.id)).toMatchObject({ status: "scheduled", paused_reason: null, version: 4 });
      expect(await row(held.id)).toMatchObject({ status: "paused", paused_reason: "user" });
    });

    test("an operator's plan for all lets them go on", async () => {
      const ctx = house({ config: { planForAll: "growth" } });
      const x = await account(ctx);
      const post = await schedule(ctx, { accountIds: [x] });
      await setAccount(x, { status: "needs_reconnect" });
      await pauseForAccounts(ctx, [x]);
      await setSubscription(ctx, "canceled").run();
      await setAccount(x, { status: "active" });
      expect(await readmitAccounts(ctx, [x])).toEqual({ resumedPostIds: [post.id] });
      expect(await row(post.id)).toMatchObject({ status: "scheduled", paused_reason: null });
    });
  });

  test("nobody named means nothing asked", async () => {
    const ctx = house();
    expect(await pauseForAccounts(ctx, [])).toEqual({ pausedPostIds: [] });
    expect(await readmitAccounts(ctx, [])).toEqual({ resumedPostIds: [] });
    expect(ctx.counting.count.roundTrips).toBe(0);
  });
});

describe("attempts", () => {
  test("of all targets, oldest first", async () => {
    const ctx = house();
    const [x, y] = [await account(ctx), await account(ctx, "instagram")];
    const post = await schedule(ctx, { accountIds: [x, y] });
    expect(await listAttempts(ctx, { id: post.id })).toEqual([]);
    const line = (at: number) => ({
      at,
      step: "commit",
      outcome: "rate_limited",
      httpStatus: 429,
      platformCode: "88",
      message: "wait",
      nextAttemptAt: at + 1,
    });
    await forceTarget(post.id, x, { history: JSON.stringify([line(1), line(3)]) });
    await forceTarget(post.id, y, { history: JSON.stringify([line(2)]) });
    const attempts = await listAttempts(ctx, { id: post.id });
    expect(attempts).toEqual([
      { accountId: x, platform: "x", ...line(1) },
      { accountId: y, platform: "instagram", ...line(2) },
      { accountId: x, platform: "x", ...line(3) },
    ]);
    const theirs = await refusalOf(listAttempts(house(), { id: post.id }));
    expect(theirs).toEqual(await refusalOf(listAttempts(house(), { id: crypto.randomUUID() })));
  });
});
