import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { annotatePost } from "#post-status/index.ts";
import { confirmEdit, previewEdit } from "#confirming/index.ts";
import { type EditInput } from "#planning/index.ts";
import { getPost, getPostRecord } from "#posts/index.ts";
import {
  createAccount,
  createTestContext,
  detailCodes,
  editPosts,
  freezeClock,
  NOON,
  planHashOfRows,
  readPostRow,
  refusalOf,
  schedulePost,
  type TestContext,
  updatePostRow,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

async function scheduleMany(ctx: TestContext, count: number, stepMs = HOUR): Promise<string[]> {
  const account = await createAccount(ctx);
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id } = await schedulePost(ctx, {
      accountIds: [account],
      scheduledAt: NOON + HOUR + index * stepMs,
      caption: `Post ${index}`,
    });
    ids.push(id);
  }
  return ids;
}

const statuses = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await readPostRow(id))["status"] as string));

describe("a move on the clock", () => {
  const NEW_YORK = "America/New_York";
  /** Noon in UTC is 08:00 in New York before 10 March 2030, and 08:00 there is 12:00 after it too, but one hour earlier in UTC. */
  const BEFORE = Date.UTC(2030, 2, 8, 13, 0);

  test("by days keeps the time of day across a clock change, and reads everything in one trip", async () => {
    freezeClock(Date.UTC(2030, 2, 1));
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    const [first, second] = await Promise.all([
      schedulePost(ctx, { accountIds: [account], scheduledAt: BEFORE }),
      schedulePost(ctx, { accountIds: [account], scheduledAt: BEFORE + 30 * SECOND, caption: "Other" }),
    ]);
    ctx.counting.reset();
    const input = { postIds: [first.id, second.id], clock: { days: 4, minute: null, timeZone: NEW_YORK } };
    const { confirmationToken, preview } = await previewEdit(ctx, input);
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsWritten: 1 });
    expect(preview.posts.map(({ after }) => after.scheduledAt)).toEqual([
      BEFORE + 4 * DAY - HOUR,
      BEFORE + 4 * DAY - HOUR + 30 * SECOND,
    ]);
    ctx.counting.reset();
    const { posts } = await confirmEdit(ctx, { confirmationToken });
    expect(ctx.counting.count.roundTrips).toBe(1);
    expect(posts[0]?.scheduledAt).toBe(BEFORE + 4 * DAY - HOUR);
    expect(posts[0]?.planHash).toBe(await planHashOfRows(first.id));
  });

  test("to another time of day keeps each post's day", async () => {
    freezeClock(Date.UTC(2030, 2, 1));
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    const before = await schedulePost(ctx, { accountIds: [account], scheduledAt: BEFORE });
    const after = await schedulePost(ctx, { accountIds: [account], scheduledAt: BEFORE + 4 * DAY });
    const { posts } = await editPosts(ctx, {
      postIds: [before.id, after.id],
      clock: { days: 0, minute: 9 * 60 + 30, timeZone: NEW_YORK },
    });
    expect(posts.map(({ scheduledAt }) => scheduledAt)).toEqual([
      Date.UTC(2030, 2, 8, 14, 30),
      Date.UTC(2030, 2, 12, 13, 30),
    ]);
  });

  test("names the posts whose new time the clock skips, and warns of one that it shows twice", async () => {
    freezeClock(Date.UTC(2030, 2, 1));
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    const post = await schedulePost(ctx, { accountIds: [account], scheduledAt: BEFORE });
    const clock = { days: 2, minute: 150, timeZone: NEW_YORK };
    const refusal = await refusalOf(previewEdit(ctx, { postIds: [post.id], clock }));
    expect(detailCodes(refusal)).toEqual(["local_time_does_not_exist post_ids[0]"]);
    const twice = { days: 240, minute: 90, timeZone: NEW_YORK };
    const { preview } = await previewEdit(ctx, { postIds: [post.id], clock: twice });
    expect(preview.posts[0]?.after.scheduledAt).toBe(Date.UTC(2030, 10, 3, 5, 30));
    expect(preview.posts[0]?.after.warnings.map(({ code }) => code)).toEqual(["local_time_ambiguous"]);
  });

  test("sees the posts around the new times, also those of the selection", async () => {
    const ctx = createTestContext();
    const account = await createAccount(ctx, "x");
    const same = { accountIds: [account], caption: "The same text" };
    const standing = await schedulePost(ctx, { ...same, scheduledAt: NOON + 2 * DAY });
    const moved = await schedulePost(ctx, { ...same, scheduledAt: NOON + 40 * DAY });
    const clock = { days: -38, minute: 13 * 60, timeZone: "UTC" };
    const { preview } = await previewEdit(ctx, { postIds: [moved.id], clock });
    const known = await previewEdit(ctx, { postIds: [moved.id], scheduledAt: NOON + 2 * DAY + HOUR });
    expect(preview.posts[0]?.after.targets[0]?.warnings).toEqual(known.preview.posts[0]?.after.targets[0]?.warnings);
    expect(standing.id).not.toBe(moved.id);
  });

  test("of 100 posts is one trip each way; 40 are armed, and the others are watched", async () => {
    const ctx = createTestContext();
    const ids = await scheduleMany(ctx, 100, 10 * MINUTE);
    await ctx.waitForDeferred();
    ctx.counting.reset();
    const clock = { days: 1, minute: null, timeZone: "UTC" };
    const { confirmationToken } = await previewEdit(ctx, { postIds: ids, clock });
    expect(ctx.counting.count.roundTrips).toBe(1);
    ctx.counting.reset();
    const hints = ctx.hints.length;
    const { posts } = await confirmEdit(ctx, { confirmationToken });
    expect(ctx.counting.count.roundTrips).toBe(1);
    expect(posts).toHaveLength(100);
    await ctx.waitForDeferred();
    expect(ctx.hints.length - hints).toBe(40);
    const watched = await env.DB.prepare("SELECT count(*) AS n FROM posts WHERE user_id = ?1 AND watch_at = ?2")
      .bind(ctx.actor.userId, NOON + 20 * SECOND)
      .first<number>("n");
    expect(watched).toBe(60);
  });

  test("of posts whose texts are too long for one preview is refused before they are read", async () => {
    const ctx = createTestContext();
    const ids = await scheduleMany(ctx, 21, 10 * MINUTE);
    const clock = { days: 1, minute: null, timeZone: "UTC" };
    await env.DB.prepare("UPDATE posts SET caption = hex(zeroblob(250000)) WHERE user_id = ?1")
      .bind(ctx.actor.userId)
      .run();
    const refusal = await refusalOf(previewEdit(ctx, { postIds: ids, clock }));
    expect(detailCodes(refusal)).toEqual(["plan_too_large"]);
  });

  test("excludes another new time", async () => {
    const ctx = createTestContext();
    const [id = ""] = await scheduleMany(ctx, 1);
    const clock = { days: 1, minute: null, timeZone: "UTC" };
    for (const other of [{ shiftMinutes: 5 }, { scheduledAt: NOON + DAY }]) {
      const refusal = await refusalOf(previewEdit(ctx, { postIds: [id], clock, ...other }));
      expect(detailCodes(refusal)).toEqual(["exclusive_fields shift_days"]);
    }
  });
});

describe("a new status", () => {
  test("cancels, pauses and resumes all posts of a selection; what would be published stays the same", async () => {
    const ctx = createTestContext();
    const ids = await scheduleMany(ctx, 2);
    const hash = (await readPostRow(ids[0] ?? ""))["plan_hash"];
    const paused = await editPosts(ctx, { postIds: ids, status: "paused" });
    expect(paused.preview.posts[0]?.changes).toEqual([{ field: "status", from: "scheduled", to: "paused" }]);
    expect(paused.posts.map(({ status, pausedReason }) => [status, pausedReason])).toEqual([
      ["paused", "user"],
      ["paused", "user"],
    ]);
    expect(await readPostRow(ids[0] ?? "")).toMatchObject({ watch_at: null, plan_hash: hash });
    const resumed = await editPosts(ctx, { postIds: ids, status: "scheduled" });
    expect(resumed.posts.map(({ status }) => status)).toEqual(["scheduled", "scheduled"]);
    expect((await readPostRow(ids[0] ?? ""))["plan_hash"]).toBe(hash);
    ctx.counting.reset();
    const { confirmationToken } = await previewEdit(ctx, { postIds: ids, status: "cancelled" });
    expect(ctx.counting.count.roundTrips).toBe(1);
    ctx.counting.reset();
    await confirmEdit(ctx, { confirmationToken });
    expect(ctx.counting.count.roundTrips).toBe(1);
    expect(await statuses(ids)).toEqual(["cancelled", "cancelled"]);
    await ctx.waitForDeferred();
    expect(ctx.hints.slice(-2).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    const { changes } = await getPostRecord(ctx, { id: ids[0] ?? "" });
    expect(changes.map(({ what }) => what)).toEqual(["paused", "resumed", "cancelled"]);
  });

  test("is refused with every post whose status does not allow it", async () => {
    const ctx = createTestContext();
    const [first = "", second = "", third = ""] = await scheduleMany(ctx, 3);
    await updatePostRow(first, { status: "publishing" });
    await editPosts(ctx, { postIds: [second], status: "paused" });
    const refusal = await refusalOf(previewEdit(ctx, { postIds: [first, second, third], status: "paused" }));
    expect(refusal.details).toMatchObject([
      { code: "invalid_state", param: "post_ids[0]", actual: "publishing" },
      { code: "invalid_state", param: "post_ids[1]", actual: "paused" },
    ]);
  });

  test("does not cancel or pause a post of which a part is public", async () => {
    const ctx = createTestContext();
    const [id = ""] = await scheduleMany(ctx, 1);
    await env.DB.prepare("UPDATE post_targets SET state = 'published' WHERE post_id = ?1").bind(id).run();
    for (const status of ["cancelled", "paused"] as const) {
      const refusal = await refusalOf(previewEdit(ctx, { postIds: [id], status }));
      expect(detailCodes(refusal)).toEqual(["invalid_state post_ids[0]"]);
      expect(refusal.details?.[0]?.message).toContain("public");
    }
  });

  test("resumes nothing whose time has passed", async () => {
    const ctx = createTestContext();
    const [id = ""] = await scheduleMany(ctx, 1);
    freezeClock(NOON + HOUR - MINUTE);
    const { confirmationToken } = await pauseAndPreviewResume(ctx, id);
    freezeClock(NOON + HOUR + MINUTE);
    const late = await refusalOf(confirmEdit(ctx, { confirmationToken }));
    expect(late.code).toBe("scheduled_at_in_past");
    const refusal = await refusalOf(previewEdit(ctx, { postIds: [id], status: "scheduled" }));
    expect(detailCodes(refusal)).toEqual(["scheduled_at_in_past post_ids[0]"]);
  });

  test("excludes every other change", async () => {
    const ctx = createTestContext();
    const [id = ""] = await scheduleMany(ctx, 1);
    const others: Partial<EditInput>[] = [
      { caption: "New" },
      { shiftMinutes: 5 },
      { labels: { add: ["a"], remove: [] } },
    ];
    for (const other of others) {
      const refusal = await refusalOf(previewEdit(ctx, { postIds: [id], status: "paused", ...other }));
      expect(detailCodes(refusal)[0]).toBe("exclusive_fields status");
    }
  });
});

async function pauseAndPreviewResume(ctx: TestContext, id: string) {
  await editPosts(ctx, { postIds: [id], status: "paused" });
  return previewEdit(ctx, { postIds: [id], status: "scheduled" });
}

describe("labels", () => {
  const NOTED = { externalId: "mine", metadata: {}, labels: ["old", "kept"], notes: null };

  test("are added and removed on posts in any status; nothing else of them changes", async () => {
    const ctx = createTestContext();
    const [first = "", second = ""] = await scheduleMany(ctx, 2);
    await annotatePost(ctx, { id: first, annotations: NOTED });
    await updatePostRow(second, { status: "published" });
    const before = await readPostRow(second);
    const { preview, posts } = await editPosts(ctx, {
      postIds: [first, second],
      labels: { add: ["new", "kept"], remove: ["old"] },
    });
    expect(preview.posts.map(({ changes }) => changes)).toEqual([
      [{ field: "labels", from: ["old", "kept"], to: ["kept", "new"] }],
      [{ field: "labels", from: [], to: ["new", "kept"] }],
    ]);
    expect(posts.map(({ annotations }) => annotations)).toEqual([
      { ...NOTED, labels: ["kept", "new"] },
      { externalId: null, metadata: {}, labels: ["new", "kept"], notes: null },
    ]);
    expect(await readPostRow(second)).toEqual(before);
  });

  test("are not written over labels that somebody changed after the preview", async () => {
    const ctx = createTestContext();
    const [id = ""] = await scheduleMany(ctx, 1);
    const { confirmationToken } = await previewEdit(ctx, { postIds: [id], labels: { add: ["new"], remove: [] } });
    await annotatePost(ctx, { id, annotations: NOTED });
    await expect(confirmEdit(ctx, { confirmationToken })).rejects.toMatchObject({ refusal: { code: "post_changed" } });
    expect((await getPost(ctx, { id })).annotations.labels).toEqual(["old", "kept"]);
  });

  test("are at most ten on a post", async () => {
    const ctx = createTestContext();
    const [id = ""] = await scheduleMany(ctx, 1);
    await annotatePost(ctx, { id, annotations: NOTED });
    const add = Array.from({ length: 9 }, (_, index) => `label ${index}`);
    const refusal = await refusalOf(previewEdit(ctx, { postIds: [id], labels: { add, remove: [] } }));
    expect(refusal.details).toMatchObject([{ code: "out_of_range", limit: 10, actual: 11 }]);
  });
});

describe("a selection is changed as a whole", () => {
  const CHANGES: [string, Partial<EditInput>][] = [
    ["moved", { clock: { days: 1, minute: null, timeZone: "UTC" } }],
    ["cancelled", { status: "cancelled" }],
    ["paused", { status: "paused" }],
    ["labelled", { labels: { add: ["new"], remove: [] } }],
  ];

  test.each(CHANGES)("nothing is %s when one post begins to publish after the preview", async (_, change) => {
    const ctx = createTestContext();
    const [first = "", second = ""] = await scheduleMany(ctx, 2);
    const { confirmationToken } = await previewEdit(ctx, { postIds: [first, second], ...change });
    await updatePostRow(second, { status: "publishing" });
    const [before, refusal] = [await readPostRow(first), await refusalOf(confirmEdit(ctx, { confirmationToken }))];
    expect(refusal).toMatchObject({ code: "post_changed", postIds: [second] });
    expect(await readPostRow(first)).toEqual(before);
  });

  test.each(CHANGES)("eight confirms at the same time: %s once", async (_, change) => {
    const ctx = createTestContext();
    const ids = await scheduleMany(ctx, 3);
    const { confirmationToken } = await previewEdit(ctx, { postIds: ids, ...change });
    const confirms = Array.from({ length: 8 }, () => confirmEdit(ctx, { confirmationToken }));
    const results = await Promise.allSettled(confirms);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const again = await refusalOf(confirmEdit(ctx, { confirmationToken }));
    expect(again).toMatchObject({ code: "token_already_used", postIds: ids });
    const versions = await Promise.all(ids.map(async (id) => (await readPostRow(id))["version"]));
    expect(new Set(versions)).toEqual(new Set([change.labels ? 1 : 2]));
  });
});
