import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { POST_STATUSES } from "#core/status.ts";
import { openDb } from "#db/client.ts";
import { firstTotalsStatement } from "#db/first-totals.ts";
import { movePostTotals } from "#posts/summary/store-move-post-totals.ts";
import { getPost, summarizeSchedule } from "#posts/index.ts";
import { expectedDayCounters, expectedTotals, storedDayCounters, storedTotals } from "./day-counters.ts";
import {
  createAccount,
  updatePostRow,
  updateTargetRow,
  createTestContext,
  NOON,
  schedulePost,
  freezeClock,
} from "../test-context.ts";

beforeEach(() => freezeClock());

test("the stored day counters equal the counted posts after any sequence of changes", async () => {
  const workspaces = [crypto.randomUUID(), crypto.randomUUID()] as const;
  const ids = Array.from({ length: 6 }, () => crypto.randomUUID());
  const time = fc
    .constantFrom(0, 1, 14, 15, 16, 60, 24 * 60 - 1, 24 * 60, 25 * 60, -1, -24 * 60)
    .map((minutes) => NOON - 12 * HOUR + minutes * MINUTE);
  const status = fc.constantFrom(...POST_STATUSES, "cancelled");
  const platforms = fc.constantFrom('["x"]', '["x","instagram"]', '["threads"]', "[]");
  const insert = (workspaceId: string) => (id: string, at: number, state: string, on: string) =>
    env.DB.prepare(
      `INSERT OR IGNORE INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms,
         plan_hash, confirm_hash, created_via, created_at, updated_at)
       VALUES (?, ?, 'u', ?, ?, 1, 'text', '', '[]', ?, '', '', 'api', 1, 1)`,
    ).bind(id, workspaceId, state, at, on);
  // A cancelled post stays cancelled; all other changes are possible.
  const notCancelled = "WHERE id = ? AND status <> 'cancelled'";
  const step = fc.oneof(
    fc
      .tuple(fc.nat(5), fc.nat(1), time, status, platforms)
      .map(([n, w, at, state, on]) => insert(workspaces[w]!)(ids[n]!, at, state, on)),
    fc
      .tuple(fc.nat(5), status)
      .map(([n, state]) => env.DB.prepare(`UPDATE posts SET status = ? ${notCancelled}`).bind(state, ids[n])),
    fc
      .tuple(fc.nat(5), time)
      .map(([n, at]) => env.DB.prepare(`UPDATE posts SET scheduled_at = ? ${notCancelled}`).bind(at, ids[n])),
    fc
      .tuple(fc.nat(5), time, status, platforms)
      .map(([n, at, state, on]) =>
        env.DB.prepare(`UPDATE posts SET scheduled_at = ?, status = ?, platforms = ? ${notCancelled}`).bind(
          at,
          state,
          on,
          ids[n],
        ),
      ),
    fc
      .tuple(fc.nat(5), platforms)
      .map(([n, on]) => env.DB.prepare(`UPDATE posts SET platforms = ? ${notCancelled}`).bind(on, ids[n])),
    fc
      .tuple(fc.nat(5), fc.nat(1))
      .map(([n, w]) => env.DB.prepare(`UPDATE posts SET workspace_id = ? ${notCancelled}`).bind(workspaces[w], ids[n])),
    fc.nat(5).map((n) => env.DB.prepare("DELETE FROM posts WHERE id = ?").bind(ids[n])),
    time.map((at) => env.DB.prepare("UPDATE posts SET scheduled_at = ? WHERE status <> 'cancelled'").bind(at)),
  );
  const moveTotals = fc
    .integer({ min: -2, max: 3 })
    .map((days) => () => movePostTotals({ db: openDb(env.DB) }.db, NOON + (days + 9) * DAY, 100));
  for (const [index, workspaceId] of workspaces.entries()) {
    await env.DB.prepare(
      "INSERT INTO post_totals (workspace_id, side, day) VALUES (?1, 'before', ?2 - 1), (?1, 'from', ?2 + 1)",
    )
      .bind(workspaceId, Math.floor(NOON / DAY) + index)
      .run();
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), fc.option(moveTotals), async (steps, move) => {
      await env.DB.batch(steps);
      await move?.();
      for (const workspaceId of workspaces) {
        expect(await storedDayCounters(workspaceId)).toEqual(await expectedDayCounters(workspaceId));
        expect(await storedTotals(workspaceId)).toEqual(await expectedTotals(workspaceId));
      }
    }),
    { numRuns: 120 },
  );
}, 60_000);

describe("the totals of a workspace", () => {
  test("begin two days before it was made and 61 days after, and are moved on at most every week and month", async ({
    expect,
  }) => {
    const workspaceId = crypto.randomUUID();
    const today = Math.floor(NOON / DAY);
    await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, 'u', 'Shop', ?)")
      .bind(workspaceId, NOON)
      .run();
    await firstTotalsStatement(env.DB, workspaceId, NOON).run();
    const boundaries = async () => (await storedTotals(workspaceId)).map(({ side, day }) => [side, day - today]);
    for (const [days, before, from] of [
      [0, -2, 61],
      [7, -2, 61],
      [8, 6, 61],
      [30, 28, 61],
      [31, 28, 92],
    ] as const) {
      await movePostTotals({ db: openDb(env.DB) }.db, NOON + days * DAY, 100);
      expect(await boundaries(), `after ${days} days`).toEqual([
        ["before", before],
        ["from", from],
      ]);
    }
  });

  test("a claim writes no counter, and a change near the present no total", async ({ expect }) => {
    const ctx = createTestContext();
    await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Shop', ?)")
      .bind(ctx.actor.workspaceId, ctx.actor.userId, NOON)
      .run();
    await firstTotalsStatement(env.DB, ctx.actor.workspaceId, NOON).run();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    const rowsWritten = async (status: string) =>
      (await env.DB.prepare("UPDATE posts SET status = ? WHERE id = ?").bind(status, post.id).run()).meta.rows_written;
    const claim = await rowsWritten("publishing");
    expect(await rowsWritten("published")).toBe(claim + 1);
  });
});

describe("lateness", () => {
  test("of the summary is what the target's late_by_ms says: the time to the visible call", async ({ expect }) => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const post = await schedulePost(ctx, { accountIds: [x] });
    await updatePostRow(post.id, { status: "publishing" });
    await updateTargetRow(post.id, x, {
      state: "published",
      started_at: post.scheduledAt + 20,
      published_at: post.scheduledAt + 9_000,
    });
    await updatePostRow(post.id, { status: "published" });
    const { targets } = await getPost(ctx, { id: post.id });
    freezeClock(post.scheduledAt + MINUTE);
    const { lateness } = await summarizeSchedule(ctx, {});
    expect(lateness).toEqual({ p50Ms: 20, p99Ms: 20, maxMs: 20, sample: 1 });
    expect(targets[0]?.lateByMs).toBe(20);
  });

  test.for([
    [0, "0"],
    [99, "99"],
    [104, "100"],
    [1_234, "1200"],
    [45_678, "45000"],
    [123_456, "120000"],
    [-5, "0"],
  ] as const)("%i ms late is counted as %s when the post finishes", async ([late, bucket], { expect }) => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const post = await schedulePost(ctx, { accountIds: [x, y] });
    await updatePostRow(post.id, { status: "publishing" });
    await updateTargetRow(post.id, x, { state: "published", published_at: post.scheduledAt + late });
    await updateTargetRow(post.id, y, { state: "failed" });
    await updatePostRow(post.id, { status: "partially_failed" });
    const lateness = await env.DB.prepare("SELECT lateness FROM post_days WHERE workspace_id = ?")
      .bind(ctx.actor.workspaceId)
      .first("lateness");
    expect(JSON.parse(String(lateness))).toEqual({ [bucket]: 1 });
  });

  test("targets published by an earlier run are not counted twice", async () => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const post = await schedulePost(ctx, { accountIds: [x, y] });
    await updateTargetRow(post.id, x, {
      state: "published",
      published_at: post.scheduledAt + 5,
      due_at: post.scheduledAt - HOUR,
    });
    await updateTargetRow(post.id, y, { state: "published", published_at: post.scheduledAt + 7 });
    await updatePostRow(post.id, { status: "publishing" });
    await updatePostRow(post.id, { status: "published" });
    const lateness = await env.DB.prepare("SELECT lateness FROM post_days WHERE workspace_id = ?")
      .bind(ctx.actor.workspaceId)
      .first("lateness");
    expect(JSON.parse(String(lateness))).toEqual({ 7: 1 });
  });
});
