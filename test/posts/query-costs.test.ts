import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { DAY } from "#core/clock.ts";
import { cancelPost, disconnectAccount, pausePostsOfAccounts, resumePostsOfAccounts } from "#post-status/index.ts";
import { confirmEdit, confirmSchedule, previewEdit, previewSchedule } from "#confirming/index.ts";
import { getPost, listPosts, summarizeSchedule } from "#posts/index.ts";
import type { D1Counts } from "#sandbox/d1-counter.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";
import { createAccount, createTestContext, oneHourAhead, NOON, schedulePost, freezeClock } from "./test-context.ts";

const PUBLISHED_POSTS = 10_000;
const dailyCaps = [{ count: 50, windowHours: 24, what: "posts" }];
const duplicateText = { windowSeconds: 12 * 3600, note: "X refuses the same text for 12 hours" };
const ctx = createTestContext({ adapters: { x: scriptedAdapter("x", { dailyCaps, duplicateText }) } });
const ids: string[] = [];
let accountX: string;
let accountY: string;

/** A workspace with two accounts, ten scheduled posts and ten thousand published ones. */
beforeAll(async () => {
  freezeClock();
  [accountX, accountY] = [await createAccount(ctx), await createAccount(ctx)];
  for (let day = 1; day <= 10; day++) {
    ids.push(
      (await schedulePost(ctx, { accountIds: [accountX, accountY], scheduledAt: oneHourAhead(ctx) + day * DAY })).id,
    );
  }
  const { userId, workspaceId } = ctx.actor;
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
     INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
       confirm_hash, created_via, created_at, updated_at)
     SELECT 'past-' || ?1 || i, ?1, ?2, 'published', ?3 - i * 60000, 1, 'text', 'Hello', '[]', '["x"]', '', '', 'api', 1, 1 FROM n`,
  )
    .bind(workspaceId, userId, NOON - 3 * DAY, PUBLISHED_POSTS)
    .run();
  await env.DB.prepare(
    `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
     SELECT id, ?2, 'x', 'ada', 'Hello', '{}', 'published', scheduled_at, '[]', 1 FROM posts
     WHERE workspace_id = ?1 AND status = 'published'`,
  )
    .bind(workspaceId, accountX)
    .run();
});

async function measureCost(work: () => Promise<unknown>): Promise<D1Counts> {
  ctx.counting.reset();
  await work();
  const count = { ...ctx.counting.count };
  await ctx.waitForDeferred();
  return count;
}

describe("each operation needs one round trip and reads a number of rows that does not grow with the history", () => {
  const page = { limit: 50, offset: 0, fields: "full", order: "asc" } as const;

  test("reads", async () => {
    const [first] = ids as [string];
    expect(await measureCost(() => getPost(ctx, { id: first }))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(10)),
    });
    expect(await measureCost(() => listPosts(ctx, page))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(100)),
    });
    const past = { ...page, includePast: true };
    expect(await measureCost(() => listPosts(ctx, past))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(240)),
    });
    const deep = { ...past, offset: 9000 };
    expect(await measureCost(() => listPosts(ctx, deep))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(1800)),
    });
    expect(await measureCost(() => summarizeSchedule(ctx, {}))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(40)),
    });
  });

  test("writes", async () => {
    const [first, second] = ids as [string, string];
    const input = { caption: "Hello", scheduledAt: oneHourAhead(ctx), platforms: ["x"] as const };
    const tokens: string[] = [];
    const preview = await measureCost(async () => tokens.push((await previewSchedule(ctx, input)).confirmationToken));
    expect(preview).toMatchObject({ roundTrips: 1, rowsWritten: 1, rowsRead: expect.toSatisfy(below(40)) });
    const confirm = await measureCost(() => confirmSchedule(ctx, { confirmationToken: tokens[0]! }));
    expect(confirm).toMatchObject({ roundTrips: 1, rowsRead: expect.toSatisfy(below(40)) });
    // For two targets. Nothing is written after arming; test/publisher/rows-written.test.ts has the whole life of a post.
    expect(ctx.counting.count.rowsWritten).toBe(9);
    const editing = await measureCost(async () =>
      tokens.push((await previewEdit(ctx, { postIds: ids, shiftMinutes: 1 })).confirmationToken),
    );
    expect(editing).toMatchObject({ roundTrips: 1, rowsWritten: 1, rowsRead: expect.toSatisfy(below(600)) });
    const edited = await measureCost(() => confirmEdit(ctx, { confirmationToken: tokens[1]! }));
    expect(edited).toMatchObject({ roundTrips: 1, rowsRead: expect.toSatisfy(below(500)) });
    expect(await measureCost(() => cancelPost(ctx, { id: first }))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(40)),
    });
    expect(await measureCost(() => cancelPost(ctx, { id: second }))).toMatchObject({ rowsWritten: 4 });
  });

  test("connecting and disconnecting accounts", async () => {
    const setAccountStatus = (status: string) =>
      env.DB.prepare("UPDATE accounts SET status = ? WHERE id = ?").bind(status, accountY).run();
    await setAccountStatus("needs_reconnect");
    expect(await measureCost(() => pausePostsOfAccounts(ctx, [accountY]))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(200)),
    });
    await setAccountStatus("active");
    expect(await measureCost(() => resumePostsOfAccounts(ctx, [accountY]))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(300)),
    });
    // The second round trip erases the tokens.
    expect(await measureCost(() => disconnectAccount(ctx, { accountId: accountX }))).toMatchObject({
      roundTrips: 2,
      rowsRead: expect.toSatisfy(below(400)),
    });
  });
});

function below(limit: number) {
  return (value: number) => value < limit;
}
