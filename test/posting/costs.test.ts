import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { DAY } from "#core/clock.ts";
import {
  cancelPost,
  confirmEdit,
  confirmSchedule,
  disconnectAccount,
  getPost,
  listPosts,
  pauseForAccounts,
  previewEdit,
  previewSchedule,
  readmitAccounts,
  summarizeSchedule,
} from "#posting/index.ts";
import type { Count } from "../support/counting-d1.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";
import { account, house, inAnHour, NOON, schedule, stopTheClock } from "./test-context.ts";

const PUBLISHED = 10_000;
const dailyCaps = [{ count: 50, windowHours: 24, what: "posts" }];
const ctx = house({ adapters: { x: scriptedAdapter("x", { dailyCaps }) } });
const ids: string[] = [];
let x: string;
let y: string;

/** A workspace with a long past: two accounts, ten posts to come, ten thousand published ones. */
beforeAll(async () => {
  stopTheClock();
  [x, y] = [await account(ctx), await account(ctx)];
  for (let day = 1; day <= 10; day++) {
    ids.push((await schedule(ctx, { accountIds: [x, y], scheduledAt: inAnHour(ctx) + day * DAY })).id);
  }
  const { userId, workspaceId } = ctx.actor;
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
     INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
       confirm_hash, created_via, created_at, updated_at)
     SELECT 'past-' || ?1 || i, ?1, ?2, 'published', ?3 - i * 60000, 1, 'text', 'Hello', '[]', '["x"]', '', '', 'api', 1, 1 FROM n`,
  )
    .bind(workspaceId, userId, NOON - 3 * DAY, PUBLISHED)
    .run();
  await env.DB.prepare(
    `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
     SELECT id, ?2, 'x', 'ada', 'Hello', '{}', 'published', scheduled_at, '[]', 1 FROM posts
     WHERE workspace_id = ?1 AND status = 'published'`,
  )
    .bind(workspaceId, x)
    .run();
});

async function cost(work: () => Promise<unknown>): Promise<Count> {
  ctx.counting.reset();
  await work();
  const count = { ...ctx.counting.count };
  await ctx.settled();
  return count;
}

describe("one round trip each, and rows that do not grow with the past", () => {
  const page = { limit: 50, offset: 0, fields: "full", order: "asc" } as const;

  test("reading", async () => {
    const [first] = ids as [string];
    expect(await cost(() => getPost(ctx, { id: first }))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(10)),
    });
    expect(await cost(() => listPosts(ctx, page))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(70)),
    });
    const past = { ...page, includePast: true };
    expect(await cost(() => listPosts(ctx, past))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(200)),
    });
    const deep = { ...past, offset: 9000 };
    expect(await cost(() => listPosts(ctx, deep))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(1800)),
    });
    expect(await cost(() => summarizeSchedule(ctx, {}))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(40)),
    });
  });

  test("writing", async () => {
    const [first, second] = ids as [string, string];
    const input = { caption: "Hello", scheduledAt: inAnHour(ctx), platforms: ["x"] as const };
    const tokens: string[] = [];
    const preview = await cost(async () => tokens.push((await previewSchedule(ctx, input)).confirmationToken));
    expect(preview).toMatchObject({ roundTrips: 1, rowsWritten: 0, rowsRead: expect.toSatisfy(below(40)) });
    const confirm = await cost(() => confirmSchedule(ctx, { confirmationToken: tokens[0]! }));
    expect(confirm).toMatchObject({ roundTrips: 1, rowsRead: expect.toSatisfy(below(40)) });
    // Of at most 25 in its life: the claim takes 5 more, the end 6, the acknowledgement of its arming is in here.
    expect(ctx.counting.count.rowsWritten).toBeLessThanOrEqual(13);
    const editing = await cost(async () =>
      tokens.push((await previewEdit(ctx, { postIds: ids, shiftMinutes: 1 })).confirmationToken),
    );
    expect(editing).toMatchObject({ roundTrips: 1, rowsWritten: 0, rowsRead: expect.toSatisfy(below(600)) });
    const edited = await cost(() => confirmEdit(ctx, { confirmationToken: tokens[1]! }));
    expect(edited).toMatchObject({ roundTrips: 1, rowsRead: expect.toSatisfy(below(500)) });
    expect(await cost(() => cancelPost(ctx, { id: first }))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(30)),
    });
    expect(await cost(() => cancelPost(ctx, { id: second }))).toMatchObject({ rowsWritten: 4 });
  });

  test("an account that goes and comes", async () => {
    const set = (status: string) => env.DB.prepare("UPDATE accounts SET status = ? WHERE id = ?").bind(status, y).run();
    await set("needs_reconnect");
    expect(await cost(() => pauseForAccounts(ctx, [y]))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(200)),
    });
    await set("active");
    expect(await cost(() => readmitAccounts(ctx, [y]))).toMatchObject({
      roundTrips: 1,
      rowsRead: expect.toSatisfy(below(300)),
    });
    // The second one erases the login.
    expect(await cost(() => disconnectAccount(ctx, { accountId: x }))).toMatchObject({
      roundTrips: 2,
      rowsRead: expect.toSatisfy(below(400)),
    });
  });
});

function below(limit: number) {
  return (value: number) => value < limit;
}
