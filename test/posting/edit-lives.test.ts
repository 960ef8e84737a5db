import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { HOUR, MINUTE } from "#core/clock.ts";
import { disconnectAccount, getPost, previewEdit, readmitAccounts } from "#posting/index.ts";
import {
  account,
  details,
  edit,
  force,
  forceTarget,
  hashOfRows,
  house,
  type House,
  inAnHour,
  refusalOf,
  row,
  schedule,
  stopTheClock,
} from "./test-context.ts";

beforeEach(() => stopTheClock());

/** A post of three targets after a run: one published, one failed for good reason, one nobody knows of. */
async function partlyFailed(ctx: House) {
  const [done, failed, unknown] = [await account(ctx), await account(ctx), await account(ctx)];
  const post = await schedule(ctx, { accountIds: [done, failed, unknown] });
  const error = JSON.stringify({
    code: "rejected",
    category: "content",
    message: "no",
    platformCode: null,
    retryable: false,
    whoMustAct: "user",
  });
  await force(post.id, { status: "partially_failed", watch_at: null, run_id: "run", finished_at: 1 });
  await forceTarget(post.id, done, { state: "published", published_at: post.scheduledAt + 1500, remote_id: "1" });
  await forceTarget(post.id, failed, {
    state: "failed",
    error,
    attempts: 3,
    history: '[{"at":1,"step":"commit","outcome":"rejected"}]',
    progress: '{"kept":1}',
  });
  await forceTarget(post.id, unknown, { state: "unconfirmed" });
  return { post, done, failed, unknown };
}

describe("paused posts", () => {
  test("stay paused when something else than the time changes, and go on at a new time", async () => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    await force(post.id, { status: "paused", paused_reason: "user", watch_at: null });
    const { posts: still } = await edit(ctx, { postIds: [post.id], caption: "Bye" });
    expect(still[0]).toMatchObject({ status: "paused", pausedReason: "user" });
    expect(await row(post.id)).toMatchObject({ watch_at: null });
    const { posts: gone, preview } = await edit(ctx, { postIds: [post.id], shiftMinutes: 5 });
    expect(gone[0]).toMatchObject({ status: "scheduled", pausedReason: null });
    expect(preview.posts[0]?.changes[0]).toEqual({ field: "status", from: "paused", to: "scheduled" });
  });

  test("stay paused at a new time while the account is gone, and go on when the edit brings another", async () => {
    const ctx = house();
    const dead = await account(ctx, "x", { status: "needs_reconnect" });
    const alive = await account(ctx);
    const post = await schedule(ctx, { accountIds: [alive] });
    await env.DB.prepare("UPDATE post_targets SET account_id = ? WHERE post_id = ?").bind(dead, post.id).run();
    await force(post.id, { status: "paused", paused_reason: "account", watch_at: null });
    const { posts: waiting, preview } = await edit(ctx, { postIds: [post.id], shiftMinutes: 5 });
    expect(waiting[0]).toMatchObject({
      status: "paused",
      pausedReason: "account",
      scheduledAt: post.scheduledAt + 5 * MINUTE,
    });
    expect(preview.posts[0]?.after.targets[0]?.warnings).toMatchObject([{ code: "account_needs_reconnect" }]);
    const { posts: going } = await edit(ctx, { postIds: [post.id], accountIds: [alive] });
    expect(going[0]).toMatchObject({ status: "scheduled", pausedReason: null });
  });
});

describe("targets that rest while their account is away", () => {
  test("are edited with the others, so that a reconnect never brings an old text back", async () => {
    const ctx = house();
    const [x, y] = [await account(ctx), await account(ctx)];
    const post = await schedule(ctx, { accountIds: [x, y] });
    await disconnectAccount(ctx, { accountId: x });
    const { posts, preview } = await edit(ctx, { postIds: [post.id], caption: "Bye", shiftMinutes: 30 });
    expect(preview.posts[0]?.after.targets.find(({ accountId }) => accountId === x)?.warnings).toMatchObject([
      { code: "account_disconnected" },
    ]);
    expect(
      posts[0]?.targets
        .map(({ status, effectiveCaption, dueAt }) => [status, effectiveCaption, dueAt - post.scheduledAt])
        .toSorted(),
    ).toEqual([
      ["pending", "Bye", 30 * MINUTE],
      ["skipped", "Bye", 30 * MINUTE],
    ]);
    expect(posts[0]?.planHash).toBe(await hashOfRows(post.id));
    await env.DB.prepare("UPDATE accounts SET disconnected_at = NULL WHERE id = ?").bind(x).run();
    await readmitAccounts(ctx, [x]);
    const back = await getPost(ctx, { id: post.id });
    expect(back.targets.map(({ status }) => status)).toEqual(["pending", "pending"]);
    expect(back.planHash).toBe(await hashOfRows(post.id));
  });

  test("of a platform whose credentials are gone do not stop the edit, those that would be published do", async () => {
    const ctx = house();
    const [x, y] = [await account(ctx), await account(ctx)];
    const post = await schedule(ctx, { accountIds: [x, y] });
    await disconnectAccount(ctx, { accountId: x });
    const bare = { ...ctx, config: { ...ctx.config, app: () => null } };
    const refusal = await refusalOf(previewEdit(bare, { postIds: [post.id], caption: "Bye" }));
    expect(refusal.details).toMatchObject([{ code: "platform_not_configured", accountId: y, platform: "x" }]);
  });

  test("keep their post paused at a new time, and it goes on when the account is back", async () => {
    const ctx = house();
    const x = await account(ctx);
    const [early, late] = [await schedule(ctx, { accountIds: [x] }), await schedule(ctx, { accountIds: [x] })];
    await disconnectAccount(ctx, { accountId: x });
    const { posts } = await edit(ctx, { postIds: [late.id], shiftMinutes: 24 * 60 });
    expect(posts[0]).toMatchObject({ status: "paused", pausedReason: "account", targets: [{ status: "skipped" }] });
    vi.setSystemTime(early.scheduledAt + 1);
    await env.DB.prepare("UPDATE accounts SET disconnected_at = NULL WHERE id = ?").bind(x).run();
    expect(await readmitAccounts(ctx, [x])).toEqual({ resumedPostIds: [late.id] });
    // The other one's time has passed: a new time sends it, with the account that is back.
    const { posts: gone } = await edit(ctx, { postIds: [early.id], scheduledAt: inAnHour(ctx) });
    expect(gone[0]).toMatchObject({ status: "scheduled", targets: [{ status: "pending", dueAt: inAnHour(ctx) }] });
    expect(gone[0]?.planHash).toBe(await hashOfRows(early.id));
  });
});

describe("failed posts", () => {
  test("are tried again at a new time: only what definitely failed, with its attempts kept", async () => {
    const ctx = house();
    const { post, done, failed, unknown } = await partlyFailed(ctx);
    vi.setSystemTime(post.scheduledAt + HOUR);
    const { posts, preview } = await edit(ctx, { postIds: [post.id], shiftMinutes: 120, caption: "Better" });
    const at = post.scheduledAt + 120 * MINUTE;
    expect(preview.posts[0]?.after.targets.map(({ accountId }) => accountId)).toEqual([failed]);
    expect(posts[0]).toMatchObject({ status: "scheduled", scheduledAt: at, version: 2, publishedAt: null });
    const byAccount = new Map(posts[0]?.targets.map((target) => [target.accountId, target]));
    expect(byAccount.get(done)).toMatchObject({
      status: "published",
      dueAt: post.scheduledAt,
      effectiveCaption: "Hello",
      lateByMs: 1500,
    });
    expect(byAccount.get(unknown)).toMatchObject({ status: "unconfirmed", dueAt: post.scheduledAt });
    expect(byAccount.get(failed)).toMatchObject({
      status: "pending",
      dueAt: at,
      attempts: 3,
      error: null,
      effectiveCaption: "Better",
    });
    expect(posts[0]?.planHash).toBe(await hashOfRows(post.id));
    expect(await row(post.id)).toMatchObject({ run_id: null, finished_at: null });
    const kept = await env.DB.prepare("SELECT history, progress FROM post_targets WHERE post_id = ? AND account_id = ?")
      .bind(post.id, failed)
      .first();
    expect(kept).toEqual({ history: '[{"at":1,"step":"commit","outcome":"rejected"}]', progress: '{"kept":1}' });
  });

  test("need a new time", async () => {
    const ctx = house();
    const { post } = await partlyFailed(ctx);
    expect(details(await refusalOf(previewEdit(ctx, { postIds: [post.id], caption: "Bye" })))).toEqual([
      "scheduled_at_required post_ids[0]",
    ]);
  });

  test("keep their accounts", async () => {
    const ctx = house();
    const { post, done, failed, unknown } = await partlyFailed(ctx);
    const ask = (...accountIds: string[]) =>
      previewEdit(ctx, { postIds: [post.id], scheduledAt: inAnHour(ctx), accountIds });
    expect(details(await refusalOf(ask(failed, done)))).toEqual(["already_published account_ids[1]"]);
    expect(details(await refusalOf(ask(failed, unknown)))).toEqual(["target_closed account_ids[1]"]);
    expect(details(await refusalOf(ask(failed, await account(ctx))))).toEqual(["targets_fixed targets"]);
    await ask(failed);
  });

  test("with nothing that failed for certain cannot be tried again", async () => {
    const ctx = house();
    const { post, failed } = await partlyFailed(ctx);
    await forceTarget(post.id, failed, { state: "unconfirmed" });
    const refusal = await refusalOf(previewEdit(ctx, { postIds: [post.id], scheduledAt: inAnHour(ctx) }));
    expect(details(refusal)).toEqual(["nothing_to_retry post_ids[0]"]);
  });

  test("wait for their account to be connected again", async () => {
    const ctx = house();
    const { post, failed } = await partlyFailed(ctx);
    await env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect' WHERE id = ?").bind(failed).run();
    const ask = () => refusalOf(previewEdit(ctx, { postIds: [post.id], scheduledAt: inAnHour(ctx) }));
    expect(details(await ask())).toEqual(["account_needs_reconnect post_ids[0]"]);
    await env.DB.prepare("UPDATE accounts SET disconnected_at = 1 WHERE id = ?").bind(failed).run();
    expect(details(await ask())).toEqual(["account_not_found post_ids[0]"]);
  });

  test("once open again keep what is public out of every further edit", async () => {
    const ctx = house();
    const { post, done, failed, unknown } = await partlyFailed(ctx);
    await edit(ctx, { postIds: [post.id], scheduledAt: inAnHour(ctx) });
    const other = await account(ctx);
    const { posts } = await edit(ctx, { postIds: [post.id], accountIds: [other] });
    expect(posts[0]?.targets.map(({ accountId }) => accountId).toSorted()).toEqual([done, unknown, other].toSorted());
    expect(posts[0]?.targets.some(({ accountId }) => accountId === failed)).toBe(false);
  });
});
