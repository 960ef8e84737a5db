import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR } from "#core/clock.ts";
import { ACCOUNT_POSTS_MAX, getOverview, listAccountsWithPosts } from "#posts/index.ts";
import { disconnectAccount, pausePost } from "#post-status/index.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  NOON,
  schedulePost,
  type TestContext,
  updateAccountRow,
  updatePostRow,
  updateTargetRow,
} from "../test-context.ts";

beforeEach(() => freezeClock());

async function endLoginAt(accountId: string, endsAt: number): Promise<void> {
  await env.DB.prepare(
    "UPDATE connections SET ends_at = ? WHERE id = (SELECT connection_id FROM accounts WHERE id = ?)",
  )
    .bind(endsAt, accountId)
    .run();
}

async function postsOf(ctx: TestContext, accountId: string) {
  const { accounts } = await listAccountsWithPosts(ctx);
  return accounts.find(({ id }) => id === accountId)?.posts;
}

describe("the posts ahead of an account", () => {
  test("are scheduled and paused ones; those after the end of the login are counted apart", async () => {
    const ctx = createTestContext();
    const accountId = await createAccount(ctx);
    await endLoginAt(accountId, NOON + 10 * DAY);
    const at = (days: number) => schedulePost(ctx, { accountIds: [accountId], scheduledAt: NOON + days * DAY });
    await at(1);
    await at(10);
    await at(11);
    const { id } = await at(12);
    await pausePost(ctx, { id });
    const published = await at(2);
    await updatePostRow(published.id, { status: "published", watch_at: null });
    await updateTargetRow(published.id, accountId, { state: "published" });
    const cancelled = await at(13);
    await updatePostRow(cancelled.id, { status: "cancelled", watch_at: null });
    expect(await postsOf(ctx, accountId)).toEqual({ ahead: 4, afterLoginEnd: 2, pausedByDisconnect: 3 });
  });

  test("count what a disconnect pauses, which is what it then does", async () => {
    const ctx = createTestContext();
    const [first, second] = [await createAccount(ctx), await createAccount(ctx)];
    await schedulePost(ctx, { accountIds: [first] });
    await schedulePost(ctx, { accountIds: [first, second] });
    const retried = await schedulePost(ctx, { accountIds: [first] });
    await updatePostRow(retried.id, { scheduled_at: NOON - HOUR });
    await updateTargetRow(retried.id, first, { due_at: NOON - HOUR, state: "retry_wait" });
    expect(await postsOf(ctx, first)).toEqual({ ahead: 3, afterLoginEnd: 0, pausedByDisconnect: 2 });
    expect(await postsOf(ctx, second)).toEqual({ ahead: 1, afterLoginEnd: 0, pausedByDisconnect: 0 });
    const { pausedPostIds } = await disconnectAccount(ctx, { accountId: first });
    expect(pausedPostIds).toHaveLength(2);
    const { accounts, connectedCount } = await listAccountsWithPosts(ctx);
    expect(accounts.map(({ id }) => id)).toEqual([second]);
    expect(connectedCount).toBe(1);
  });

  test("of other users and workspaces are not read; the limit counts all workspaces", async () => {
    const ctx = createTestContext();
    const other = createTestContext();
    const elsewhere = createTestContext({ actor: { userId: ctx.actor.userId } });
    const accountId = await createAccount(ctx);
    await createAccount(other);
    await createAccount(elsewhere);
    const { accounts, connectedCount } = await listAccountsWithPosts(ctx);
    expect(accounts.map(({ id }) => id)).toEqual([accountId]);
    expect(connectedCount).toBe(2);
  });
});

describe("cost", () => {
  test("one round trip, and the history of an account is not read", async () => {
    const ctx = createTestContext();
    const accountId = await createAccount(ctx);
    await schedulePost(ctx, { accountIds: [accountId] });
    await insertPosts(ctx, accountId, 2000, { status: "published", at: NOON - 3 * DAY, stepMs: -60_000 });
    ctx.counting.reset();
    expect(await postsOf(ctx, accountId)).toMatchObject({ ahead: 1 });
    expect(ctx.counting.count.roundTrips).toBe(1);
    expect(ctx.counting.count.rowsRead).toBeLessThan(20);
  });

  test("counting ends beyond the maximum", async () => {
    const ctx = createTestContext();
    const accountId = await createAccount(ctx);
    await insertPosts(ctx, accountId, 2 * ACCOUNT_POSTS_MAX, { status: "scheduled", at: NOON + DAY, stepMs: 60_000 });
    ctx.counting.reset();
    expect(await postsOf(ctx, accountId)).toEqual({
      ahead: ACCOUNT_POSTS_MAX + 1,
      afterLoginEnd: 0,
      pausedByDisconnect: ACCOUNT_POSTS_MAX + 1,
    });
    expect(ctx.counting.count.rowsRead).toBeLessThan(7 * ACCOUNT_POSTS_MAX);
  });
});

describe("the posts of an account in the overview", () => {
  const postsInOverview = async (ctx: TestContext, accountId: string) => {
    const { accounts } = await getOverview(ctx, { timeZone: "UTC", subscriptionEndsAt: null });
    return accounts.find(({ id }) => id === accountId)?.posts;
  };

  test("are those that need a login: none, those after its end, or all", async () => {
    const ctx = createTestContext();
    const accountId = await createAccount(ctx);
    for (const days of [1, 11, 12]) {
      await schedulePost(ctx, { accountIds: [accountId], scheduledAt: NOON + days * DAY });
    }
    expect(await postsInOverview(ctx, accountId)).toMatchObject({ ahead: 0, afterLoginEnd: 0 });
    await endLoginAt(accountId, NOON + 10 * DAY);
    expect(await postsInOverview(ctx, accountId)).toMatchObject({ afterLoginEnd: 2 });
    await endLoginAt(accountId, NOON - DAY);
    expect(await postsInOverview(ctx, accountId)).toMatchObject({ ahead: 3, afterLoginEnd: 3 });
    await endLoginAt(accountId, NOON + 10 * DAY);
    await updateAccountRow(accountId, { status: "needs_reconnect" });
    expect(await postsInOverview(ctx, accountId)).toEqual(await postsOf(ctx, accountId));
    expect(await postsInOverview(ctx, accountId)).toMatchObject({ ahead: 3, afterLoginEnd: 2 });
  });
});

async function insertPosts(
  ctx: TestContext,
  accountId: string,
  count: number,
  { status, at, stepMs }: { status: "published" | "scheduled"; at: number; stepMs: number },
): Promise<void> {
  const { userId, workspaceId } = ctx.actor;
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
     INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
       confirm_hash, created_via, created_at, updated_at)
     SELECT ?6 || '-' || i, ?1, ?2, ?7, ?3 + i * ?5, 1, 'text', 'Hello', '[]', '["x"]', '', '', 'api', 1, 1 FROM n`,
  )
    .bind(workspaceId, userId, at, count, stepMs, accountId, status)
    .run();
  await env.DB.prepare(
    `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
     SELECT id, ?2, 'x', 'ada', 'Hello', '{}', iif(status = 'published', 'published', 'pending'), scheduled_at, '[]', 1 FROM posts
     WHERE workspace_id = ?1 AND id LIKE ?2 || '-%'`,
  )
    .bind(workspaceId, accountId)
    .run();
}
