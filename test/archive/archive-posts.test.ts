import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { archivePosts } from "#archive/index.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { getPost, getPostRecord, listArchivedPosts, listAttempts, listPosts } from "#posts/index.ts";
import { expectedDayCounters, storedDayCounters } from "../posts/summary/day-counters.ts";
import { type TestContext } from "../posts/test-context.ts";
import {
  createArchiveContext,
  daysLater,
  idsInDatabase,
  insertPosts,
  keysInBucket,
  NOW,
  OLD,
  runPass,
  startNextPass,
  useArchiveClock,
} from "./test-context.ts";

useArchiveClock();

const PAGE = { limit: 200, offset: 0, order: "asc", fields: "summary" } as const;

async function archivedIds(ctx: TestContext): Promise<string[]> {
  return (await listArchivedPosts(ctx, PAGE)).posts.map(({ id }) => id);
}

/** Every post exactly once, in the database or in the archive. */
async function expectEachOnce(ctx: TestContext, ids: readonly string[]): Promise<void> {
  const found = [...(await idsInDatabase(ctx.actor)), ...(await archivedIds(ctx))];
  expect(found.toSorted()).toEqual(ids.toSorted());
  expect((await listArchivedPosts(ctx, PAGE)).pagination.total).toBe((await archivedIds(ctx)).length);
  const { results } = await env.DB.prepare(
    `SELECT 1 FROM post_targets t WHERE t.post_id IN (SELECT value FROM json_each(?1)) AND NOT EXISTS (SELECT 1 FROM posts p WHERE p.id = t.post_id)`,
  )
    .bind(JSON.stringify(ids))
    .all();
  expect(results).toEqual([]);
  expect(await storedDayCounters(ctx.actor.workspaceId)).toEqual(await expectedDayCounters(ctx.actor.workspaceId));
}

describe("archivePosts", () => {
  test("moves what has ended and is older than a year, whatever its end", async () => {
    const ctx = await createArchiveContext();
    const ids = await insertPosts(ctx.actor, [
      { at: OLD },
      { at: OLD + HOUR, status: "partially_failed", states: ["published", "failed"] },
      { at: OLD + 2 * HOUR, status: "failed", states: ["failed", "unconfirmed"] },
    ]);
    expect(await runPass(ctx)).toBe(3);
    expect(await idsInDatabase(ctx.actor)).toEqual([]);
    expect(await archivedIds(ctx)).toEqual(ids);
    await expectEachOnce(ctx, ids);
    const { results } = await env.DB.prepare(
      "SELECT * FROM post_media WHERE post_id IN (SELECT value FROM json_each(?))",
    )
      .bind(JSON.stringify(ids))
      .all();
    expect(results).toEqual([]);
  });

  test.for(["scheduled", "publishing", "paused", "cancelled"] as const)("never moves a %s post", async (status) => {
    const ctx = await createArchiveContext();
    const ids = await insertPosts(ctx.actor, [{ status, states: ["pending"] }]);
    expect(await runPass(ctx)).toBe(0);
    expect(await idsInDatabase(ctx.actor)).toEqual(ids);
  });

  test("moves no post that ended or changed within the year, nor one that an edit waits for", async () => {
    const ctx = await createArchiveContext();
    const ids = await insertPosts(ctx.actor, [
      { at: NOW - 300 * DAY },
      { at: OLD, updatedAt: NOW - 300 * DAY },
      { at: OLD, status: "failed", states: ["failed"] },
    ]);
    await env.DB.prepare(
      `INSERT INTO approvals (id, user_id, workspace_id, token_hash, kind, plan, plan_hash, requested_by, via, state, created_at, expires_at)
       VALUES (?1, ?2, ?3, ?1, 'edit', ?4, '', '{}', 'api', 'pending', 1, ?5)`,
    )
      .bind(
        crypto.randomUUID(),
        ctx.actor.userId,
        ctx.actor.workspaceId,
        JSON.stringify({ posts: [{ id: ids[2] }] }),
        daysLater(1),
      )
      .run();
    expect(await runPass(ctx)).toBe(0);
    expect((await idsInDatabase(ctx.actor)).toSorted()).toEqual(ids.toSorted());
  });

  test("moves whole months, and a month only once its last posts have ended", async () => {
    const ctx = await createArchiveContext();
    const endOfMay = Date.UTC(2030, 5, 1);
    const ids = await insertPosts(ctx.actor, [
      { at: Date.UTC(2030, 4, 1) - 1 },
      { at: Date.UTC(2030, 4, 1) },
      { at: endOfMay - 1 },
      { at: endOfMay },
    ]);
    vi.setSystemTime(endOfMay + 367 * DAY);
    expect(await runPass(ctx)).toBe(1);
    vi.setSystemTime(endOfMay + 369 * DAY);
    expect(await runPass(ctx)).toBe(2);
    expect(await idsInDatabase(ctx.actor)).toEqual([ids[3]]);
    const keys = await keysInBucket(ctx.actor);
    expect(keys.map((key) => key.split("/")[2])).toEqual(["2030-04", "2030-05"]);
    expect(await archivedIds(ctx)).toEqual(ids.slice(0, 3));
  });

  test("puts at most 1,000 posts into a part", async () => {
    const ctx = await createArchiveContext();
    const ids = await insertPosts(
      ctx.actor,
      Array.from({ length: 1001 }, (_, index) => ({ at: OLD + index * SECOND })),
    );
    expect(await runPass(ctx)).toBe(1001);
    const { results } = await env.DB.prepare(
      "SELECT published FROM archive_parts WHERE workspace_id = ? ORDER BY first_at",
    )
      .bind(ctx.actor.workspaceId)
      .all();
    expect(results).toEqual([{ published: 1000 }, { published: 1 }]);
    const last = await listArchivedPosts(ctx, { ...PAGE, offset: 900 });
    expect(last.posts.map(({ id }) => id)).toEqual(ids.slice(900));
    expect(last.pagination).toEqual({ limit: 200, offset: 900, total: 1001, hasMore: false });
  });

  test("writes a row for the post, each of its targets, its media and its day, and few for the part", async () => {
    const ctx = await createArchiveContext();
    await insertPosts(
      ctx.actor,
      Array.from({ length: 200 }, (_, index) => ({
        at: OLD + index * MINUTE,
        states: ["published", "failed"] as const,
      })),
    );
    ctx.counting.reset();
    await archivePosts(ctx);
    expect(ctx.counting.count.rowsWritten).toBe(200 * 5 + 3);
  });

  test("reads the same as before: the post, its attempts and its record", async () => {
    const ctx = await createArchiveContext();
    const [id = ""] = await insertPosts(ctx.actor, [
      { status: "partially_failed", states: ["published", "unconfirmed", "failed"] },
    ]);
    const read = async () => ({
      post: await getPost(ctx, { id }),
      attempts: await listAttempts(ctx, { id }),
      record: await getPostRecord(ctx, { id }),
    });
    const before = await read();
    const summary = (await listPosts(ctx, { ...PAGE, includePast: true })).posts;
    await runPass(ctx);
    const post = { ...before.post, archived: true };
    expect(await read()).toEqual({ ...before, post, record: { ...before.record, post } });
    expect((await listArchivedPosts(ctx, PAGE)).posts).toEqual(summary);
    expect((await listArchivedPosts(ctx, { ...PAGE, fields: "full" })).posts).toEqual([post]);
  });

  test("counts no archived post in a day, deletes days that are empty, and records no event", async () => {
    const ctx = await createArchiveContext();
    const { workspaceId } = ctx.actor;
    await env.DB.prepare("INSERT INTO event_logs (workspace_id, switched_on, recording, sweep_at) VALUES (?, 1, 1, 0)")
      .bind(workspaceId)
      .run();
    await insertPosts(ctx.actor, [
      { at: OLD },
      { at: OLD + DAY },
      { at: OLD + DAY, status: "paused", states: ["pending"] },
    ]);
    const events = async () =>
      await env.DB.prepare("SELECT count(*) AS n FROM events WHERE workspace_id = ?").bind(workspaceId).first("n");
    const before = await events();
    await runPass(ctx);
    expect(await events()).toBe(before);
    const days = await env.DB.prepare("SELECT day, published, paused FROM post_days WHERE workspace_id = ?")
      .bind(workspaceId)
      .all();
    expect(days.results).toEqual([{ day: Math.floor(OLD / DAY) + 1, published: 0, paused: 1 }]);
    const listed = await listPosts(ctx, { ...PAGE, includePast: true });
    expect(listed.pagination.total).toBe(1);
  });

  test("keeps posts as long as the plan of the workspace's owner says", async () => {
    const limitOverrides = { scale: { archiveAfterDays: 730 }, starter: { archiveAfterDays: 120 } };
    const config = { planForAll: null, limitOverrides };
    const options = { config };
    const [scale, growth, starter] = await Promise.all([
      createArchiveContext({ ...options, plan: "scale" }),
      createArchiveContext({ ...options, plan: "growth" }),
      createArchiveContext({ ...options, plan: "starter" }),
    ]);
    const recent = NOW - 200 * DAY;
    for (const ctx of [scale, growth, starter]) {
      await insertPosts(ctx.actor, [{ at: OLD }, { at: recent }]);
    }
    expect(await runPass(scale)).toBe(3);
    expect((await idsInDatabase(scale.actor)).length).toBe(2);
    expect((await idsInDatabase(growth.actor)).length).toBe(1);
    expect(await idsInDatabase(starter.actor)).toEqual([]);
  });

  test("moves nothing while the database is held", async () => {
    const ctx = await createArchiveContext();
    await insertPosts(ctx.actor, [{}]);
    await env.DB.prepare("UPDATE service SET held = 'restored'").run();
    expect(await archivePosts(ctx)).toBeNull();
    await env.DB.prepare("UPDATE service SET held = NULL").run();
    expect(await runPass(ctx)).toBe(1);
  });

  test("one pass a day: until the next one it reads one row and writes none", async () => {
    const ctx = await createArchiveContext();
    await runPass(ctx);
    ctx.counting.reset();
    expect(await archivePosts(ctx)).toBeNull();
    expect(ctx.counting.count).toEqual({ roundTrips: 1, statements: 1, rowsRead: 1, rowsWritten: 0 });
  });

  test("a failure in one workspace is logged and does not stop the others", async () => {
    const contexts = await Promise.all([createArchiveContext(), createArchiveContext()]);
    const [bad, good] = contexts.toSorted((a, b) => (a.actor.workspaceId < b.actor.workspaceId ? -1 : 1));
    await insertPosts(bad!.actor, [{}]);
    await insertPosts(good!.actor, [{}]);
    const put = env.MEDIA.put.bind(env.MEDIA);
    const bucket = {
      put: async (key: string, ...rest: unknown[]) => {
        if (key.includes(bad!.actor.workspaceId)) {
          throw new TypeError("R2 is not there");
        }
        return await put(key, ...(rest as [ArrayBuffer]));
      },
      list: env.MEDIA.list.bind(env.MEDIA),
    } as unknown as R2Bucket;
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    expect(await runPass({ ...good!, bucket })).toBe(1);
    expect(errors.mock.calls.map(([line]) => JSON.parse(String(line)))).toEqual([
      { level: "error", event: "archive.failed", workspace: bad!.actor.workspaceId, error: "TypeError" },
    ]);
    expect((await idsInDatabase(bad!.actor)).length).toBe(1);
    await startNextPass();
    expect(await runPass(bad!)).toBe(1);
  });
});

describe("nothing is lost or doubled", () => {
  test.for(["archive.before_part", "archive.after_part", "archive.after_commit"])(
    "when the process ends at %s",
    async (point) => {
      const ctx = await createArchiveContext();
      const ids = await insertPosts(
        ctx.actor,
        Array.from({ length: 20 }, (_, index) => ({ at: OLD + index * DAY })),
      );
      vi.spyOn(console, "error").mockImplementation(() => {});
      let reached = 0;
      setFailpointHook((name) => {
        if (name === point) {
          reached += 1;
          throw new Error("killed");
        }
      });
      await archivePosts(ctx);
      expect(reached).toBe(1);
      await expectEachOnce(ctx, ids);
      setFailpointHook(undefined);
      await startNextPass();
      await runPass(ctx);
      await expectEachOnce(ctx, ids);
      expect(await archivedIds(ctx)).toEqual(ids);
    },
  );

  test("when the batch is committed and its answer is lost", async () => {
    const ctx = await createArchiveContext();
    const ids = await insertPosts(ctx.actor, [{}, { at: OLD + HOUR }]);
    vi.spyOn(console, "error").mockImplementation(() => {});
    const batch = ctx.db.d1.batch.bind(ctx.db.d1);
    const d1 = {
      prepare: ctx.db.d1.prepare.bind(ctx.db.d1),
      batch: async (statements: D1PreparedStatement[]) => {
        const results = await batch(statements);
        if (statements.length === 5) {
          throw new Error("Network connection lost");
        }
        return results;
      },
    } as unknown as D1Database;
    await archivePosts({ ...ctx, db: { d1, orm: ctx.db.orm } });
    await expectEachOnce(ctx, ids);
    await startNextPass();
    await runPass(ctx);
    await expectEachOnce(ctx, ids);
  });

  test("by eight runs at once", async () => {
    const ctx = await createArchiveContext();
    const ids = await insertPosts(
      ctx.actor,
      Array.from({ length: 120 }, (_, index) => ({ at: OLD + index * HOUR })),
    );
    const runs = await Promise.all(Array.from({ length: 8 }, async () => await archivePosts(ctx)));
    expect(runs.reduce((sum, run) => sum + (run?.posts ?? 0), 0)).toBe(120);
    await runPass(ctx);
    await expectEachOnce(ctx, ids);
    expect(await archivedIds(ctx)).toEqual(ids);
    expect((await keysInBucket(ctx.actor)).length).toBe(1);
  });

  test.for<[what: string, sql: string]>([
    ["was edited", "UPDATE posts SET version = version + 1, status = 'scheduled' WHERE id = ?"],
    ["was changed without a new version", "UPDATE posts SET updated_at = updated_at + 1 WHERE id = ?"],
    ["had a person's data erased", "UPDATE post_targets SET updated_at = updated_at + 1 WHERE post_id = ?"],
    ["was deleted", "DELETE FROM posts WHERE id = ?"],
  ])("when a post %s while its part was written: all posts stay, and no file", async ([, sql]) => {
    const ctx = await createArchiveContext();
    const [first = "", ...others] = await insertPosts(ctx.actor, [{}, { at: OLD + HOUR }]);
    setFailpointHook(async (name) => {
      if (name === "archive.after_part") {
        setFailpointHook(undefined);
        await env.DB.prepare(sql).bind(first).run();
      }
    });
    expect(await archivePosts(ctx)).toMatchObject({ posts: 0 });
    expect(await idsInDatabase(ctx.actor)).toEqual(expect.arrayContaining(others));
    expect(await archivedIds(ctx)).toEqual([]);
    expect(await keysInBucket(ctx.actor)).toEqual([]);
  });

  test("when the database is put back to before the archiving: every post is listed once, and archived once more", async () => {
    const ctx = await createArchiveContext();
    const ids = await insertPosts(ctx.actor, [{}, { at: OLD + HOUR }]);
    const tables = ["posts", "post_targets", "post_media", "post_days"];
    const rows = await Promise.all(tables.map(async (table) => await rowsOf(table, ctx.actor.workspaceId, ids)));
    await runPass(ctx);
    const [part] = await keysInBucket(ctx.actor);
    await env.DB.prepare("DELETE FROM archive_parts WHERE workspace_id = ?").bind(ctx.actor.workspaceId).run();
    for (const [index, table] of tables.entries()) {
      await insertRows(table, rows[index] ?? []);
    }
    await env.DB.prepare("DELETE FROM post_days WHERE workspace_id = ?").bind(ctx.actor.workspaceId).run();
    await insertRows("post_days", rows[3] ?? []);
    await expectEachOnce(ctx, ids);
    expect((await listPosts(ctx, { ...PAGE, includePast: true })).pagination.total).toBe(2);
    await startNextPass();
    expect(await runPass(ctx)).toBe(2);
    await expectEachOnce(ctx, ids);
    const keys = await keysInBucket(ctx.actor);
    expect(keys).toContain(part);
    expect(keys.length).toBe(2);

    // The file stays as long as the database may be put back to where it counts.
    vi.setSystemTime(daysLater(34));
    await runPass(ctx);
    expect((await keysInBucket(ctx.actor)).length).toBe(2);
    vi.setSystemTime(daysLater(36));
    await runPass(ctx);
    expect(await keysInBucket(ctx.actor)).toEqual(keys.filter((key) => key !== part));
    await expectEachOnce(ctx, ids);
  });

  test("a file whose row comes back is not deleted", async () => {
    const ctx = await createArchiveContext();
    const ids = await insertPosts(ctx.actor, [{}]);
    await runPass(ctx);
    const index = await env.DB.prepare("SELECT * FROM archive_parts WHERE workspace_id = ?")
      .bind(ctx.actor.workspaceId)
      .all();
    await env.DB.prepare("DELETE FROM archive_parts WHERE workspace_id = ?").bind(ctx.actor.workspaceId).run();
    await startNextPass();
    await runPass(ctx);
    await insertRows(
      "archive_parts",
      index.results.map((row) => ({ ...row, ids: new Uint8Array(row["ids"] as number[]) })),
    );
    for (const days of [20, 40, 60]) {
      vi.setSystemTime(daysLater(days));
      await runPass(ctx);
    }
    expect(await archivedIds(ctx)).toEqual(ids);
  });
});

async function rowsOf(table: string, workspaceId: string, ids: readonly string[]): Promise<Record<string, unknown>[]> {
  const condition =
    table === "posts"
      ? "id IN (SELECT value FROM json_each(?2))"
      : table === "post_days"
        ? "workspace_id = ?1"
        : "post_id IN (SELECT value FROM json_each(?2))";
  const { results } = await env.DB.prepare(`SELECT * FROM ${table} WHERE ${condition} AND ?1 = ?1 AND ?2 = ?2`)
    .bind(workspaceId, JSON.stringify(ids))
    .all();
  return results;
}

async function insertRows(table: string, rows: readonly Record<string, unknown>[]): Promise<void> {
  for (const row of rows) {
    const names = Object.keys(row);
    await env.DB.prepare(
      `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`,
    )
      .bind(...Object.values(row))
      .run();
  }
}
