import { env } from "cloudflare:workers";
import ICAL from "ical.js";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { listFeeds, makeFeed, readFeed, revokeFeed } from "#feeds/index.ts";
import { VERSION } from "#core/version.ts";
import { openDb } from "#db/client.ts";
import { feedStatements } from "#feeds/store-feeds.ts";
import { cancelPost, pausePost } from "#post-status/index.ts";
import { costlySteps, explainingD1 } from "../support/explaining-d1.ts";
import { disableUser, enableUser } from "#auth/index.ts";
import { createOwner } from "../notices/test-context.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  NOON,
  oneHourAhead,
  refusalOf,
  schedulePost,
  type TestContext,
  updatePostRow,
  updateTargetRow,
} from "../posts/test-context.ts";

beforeEach(() => freezeClock());

const secretOf = (url: string) => /\/calendar\/([A-Za-z0-9_-]{22})\.ics$/.exec(url)?.[1] ?? "";

async function createFeed(ctx: TestContext): Promise<string> {
  await createOwner(ctx);
  return secretOf((await makeFeed(ctx)).url);
}

async function readText(ctx: TestContext, secret: string): Promise<string> {
  return (await readFeed(ctx, secret))?.text ?? "";
}

/** The events as another library reads them. */
async function eventsOf(ctx: TestContext, secret: string) {
  const calendar = new ICAL.Component(ICAL.parse(await readText(ctx, secret)));
  return calendar.getAllSubcomponents("vevent").map((component) => ({
    ...Object.fromEntries(
      ["summary", "description", "url", "status", "sequence", "transp"].map((name) => [
        name,
        component.getFirstPropertyValue(name),
      ]),
    ),
    uid: String(component.getFirstPropertyValue("uid")),
    start: String(component.getFirstPropertyValue("dtstart")),
    minutes: new ICAL.Event(component).duration.toSeconds() / 60,
    modified: String(component.getFirstPropertyValue("last-modified")),
    stamp: String(component.getFirstPropertyValue("dtstamp")),
  }));
}

/** Posts by a statement: as many as a feed cannot show. */
async function insertPosts({ actor }: TestContext, count: number, status: string, from: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
     INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
       confirm_hash, created_via, created_at, updated_at)
     SELECT ?5 || ?1 || i, ?1, ?2, ?5, ?3 + i * 60000, 1, 'text', 'Hello', '[]', '["x"]', '', '', 'api', 1, 1 FROM n`,
  )
    .bind(actor.workspaceId, actor.userId, from, count, status)
    .run();
}

describe("a calendar address", () => {
  test("has 128 random bits, is shown once and stored as a hash", async () => {
    const ctx = createTestContext();
    await createOwner(ctx);
    const { url, id } = await makeFeed(ctx);
    expect(url).toMatch(/^http:\/\/[^/]+\/calendar\/[A-Za-z0-9_-]{22}\.ics$/);
    const { results } = await env.DB.prepare("SELECT * FROM calendar_feeds WHERE workspace_id = ?")
      .bind(ctx.actor.workspaceId)
      .all();
    expect(JSON.stringify(results)).not.toContain(secretOf(url));
    expect(await listFeeds(ctx)).toEqual([{ id, createdAt: NOON }]);
    expect(secretOf((await makeFeed(ctx)).url)).not.toBe(secretOf(url));
  });

  test("is unknown once it is revoked, which only its workspace can do", async () => {
    const [ctx, stranger] = [createTestContext(), createTestContext()];
    const secret = await createFeed(ctx);
    const [feed] = await listFeeds(ctx);
    expect(await refusalOf(revokeFeed(stranger, feed!))).toMatchObject({ code: "not_found" });
    expect(await listFeeds(stranger)).toEqual([]);
    expect(await readFeed(ctx, secret)).not.toBeNull();
    await revokeFeed(ctx, feed!);
    expect(await readFeed(ctx, secret)).toBeNull();
    expect(await refusalOf(revokeFeed(ctx, feed!))).toMatchObject({ code: "not_found" });
  });

  test("ends when its user is disabled, like every access", async () => {
    const ctx = createTestContext();
    const secret = await createFeed(ctx);
    await disableUser(ctx, ctx.actor);
    expect(await readFeed(ctx, secret)).toBeNull();
    await enableUser(ctx, ctx.actor);
    expect(await readFeed(ctx, secret)).toBeNull();
    expect(await listFeeds(ctx)).toEqual([]);
  });

  test("is one of at most ten, also when they are made at once", async () => {
    const ctx = createTestContext();
    await createOwner(ctx);
    const made = await Promise.allSettled(Array.from({ length: 12 }, () => makeFeed(ctx)));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect(await refusalOf(makeFeed(ctx))).toMatchObject({ code: "invalid_state" });
  });
});

describe("a feed", () => {
  test("shows each post with its targets, its page and its state", async () => {
    const ctx = createTestContext();
    const secret = await createFeed(ctx);
    const first = await createAccount(ctx);
    const at = oneHourAhead(ctx);
    const caption = "Two lines,\nwith; all \\ of it";
    const { id } = await schedulePost(ctx, { accountIds: [first], caption, scheduledAt: at });
    await updateTargetRow(id, first, { state: "published", remote_url: "https://x.com/a/status/1", username: "ada" });
    expect(await eventsOf(ctx, secret)).toEqual([
      {
        uid: id,
        summary: "X · Two lines, with; all \\ of it",
        description: `${caption}\n\nX (ada): published, https://x.com/a/status/1`,
        url: `${ctx.config.origin}/dashboard/posts/${id}`,
        status: "CONFIRMED",
        sequence: 1,
        transp: "TRANSPARENT",
        start: "2030-05-15T13:00:00Z",
        minutes: 15,
        modified: "2030-05-15T12:00:00Z",
        stamp: "2030-05-15T12:00:00Z",
      },
    ]);
  });

  test("names the workspace and how often to come back", async () => {
    const ctx = createTestContext();
    const secret = await createFeed(ctx);
    const calendar = new ICAL.Component(ICAL.parse(await readText(ctx, secret)));
    expect(calendar.getFirstPropertyValue("x-wr-calname")).toBe("Almanac: Shop");
    expect(String(calendar.getFirstPropertyValue("refresh-interval"))).toBe("PT15M");
    expect(calendar.getFirstPropertyValue("x-wr-caldesc")).toBeNull();
  });

  test("shows paused posts as tentative and cancelled ones as cancelled, with a higher sequence", async () => {
    const ctx = createTestContext();
    const secret = await createFeed(ctx);
    const account = await createAccount(ctx);
    const paused = await schedulePost(ctx, { accountIds: [account], scheduledAt: NOON + DAY });
    const cancelled = await schedulePost(ctx, { accountIds: [account], scheduledAt: NOON + 2 * DAY });
    await pausePost(ctx, paused);
    await cancelPost(ctx, cancelled);
    expect(await eventsOf(ctx, secret)).toMatchObject([
      { uid: paused.id, status: "TENTATIVE", sequence: 2 },
      { uid: cancelled.id, status: "CANCELLED", sequence: 2 },
    ]);
  });

  test("reaches from 30 days back to 365 ahead and holds nothing of another workspace", async () => {
    const [ctx, other] = [createTestContext(), createTestContext()];
    const secret = await createFeed(ctx);
    const account = await createAccount(ctx);
    const times = [NOON - 30 * DAY - 1, NOON - 30 * DAY, NOON + 365 * DAY - 1, NOON + 365 * DAY];
    for (const scheduledAt of times) {
      const { id } = await schedulePost(ctx, { accountIds: [account] });
      await updatePostRow(id, { scheduled_at: scheduledAt });
    }
    await schedulePost(other, { accountIds: [await createAccount(other)] });
    expect((await eventsOf(ctx, secret)).map(({ start }) => start)).toEqual([
      "2030-04-15T12:00:00Z",
      "2031-05-15T11:59:59Z",
    ]);
  });

  test("has another tag after every change of a post or a target, and the same one without", async () => {
    const ctx = createTestContext();
    const secret = await createFeed(ctx);
    const account = await createAccount(ctx);
    const etags: string[] = [];
    const note = async () => etags.push((await readFeed(ctx, secret))?.etag ?? "");
    await note();
    const { id } = await schedulePost(ctx, { accountIds: [account] });
    await note();
    await pausePost(ctx, { id });
    await note();
    await updateTargetRow(id, account, { state: "failed" });
    await note();
    expect(new Set(etags).size).toBe(4);
    freezeClock(NOON + MINUTE);
    await note();
    expect(etags[4]).toBe(etags[3]);
    expect(etags[0]).toBe(`"0-${NOON / HOUR}-${VERSION}"`);
    freezeClock(NOON + HOUR);
    await note();
    expect(etags[5]).not.toBe(etags[4]);
  });

  test.each<[string, (ctx: TestContext, post: { id: string; account: string }) => Promise<unknown>]>([
    [
      "a target that was published",
      (_, { id, account }) => updateTargetRow(id, account, { remote_url: "https://x.com/a/1" }),
    ],
    ["a target that waits", (_, { id, account }) => updateTargetRow(id, account, { next_attempt_at: NOON + MINUTE })],
    ["a target with another name", (_, { id, account }) => updateTargetRow(id, account, { username: "ada_renamed" })],
    ["a target that failed", (_, { id, account }) => updateTargetRow(id, account, { state: "failed" })],
    ["a post that was edited", (_, { id }) => updatePostRow(id, { version: 2 })],
    ["a post that was moved", (_, { id }) => updatePostRow(id, { scheduled_at: NOON + DAY })],
    ["a post that was cancelled", (ctx, { id }) => cancelPost(ctx, { id })],
    ["a post that was deleted", (_, { id }) => env.DB.prepare("DELETE FROM posts WHERE id = ?").bind(id).run()],
    [
      "the name of the workspace",
      (ctx) => env.DB.prepare("UPDATE workspaces SET name = 'X' WHERE id = ?").bind(ctx.actor.workspaceId).run(),
    ],
  ])("%s changes the tag", async (_, change) => {
    const ctx = createTestContext();
    const secret = await createFeed(ctx);
    const account = await createAccount(ctx);
    const { id } = await schedulePost(ctx, { accountIds: [account] });
    const { etag = "" } = (await readFeed(ctx, secret)) ?? {};
    expect(await readFeed(ctx, secret, [etag])).toEqual({ etag, text: null });
    await change(ctx, { id, account });
    const changed = await readFeed(ctx, secret, [etag]);
    expect(changed?.etag).not.toBe(etag);
    expect(changed?.text).toContain("BEGIN:VCALENDAR");
  });

  test("does not change its tag for another workspace, nor for the times of a run", async () => {
    const [ctx, other] = [createTestContext(), createTestContext()];
    const [secret, account] = [await createFeed(ctx), await createAccount(ctx)];
    const { id } = await schedulePost(ctx, { accountIds: [account] });
    const { etag = "" } = (await readFeed(ctx, secret)) ?? {};
    await schedulePost(other, { accountIds: [await createAccount(other)] });
    await updatePostRow(id, { watch_at: NOON + MINUTE });
    await updateTargetRow(id, account, { attempts: 2, progress: "{}" });
    expect(await readFeed(ctx, secret, [`"0-0-${VERSION}"`, etag])).toEqual({ etag, text: null });
  });

  test("shows 500 characters of a caption, and reads no more from the database", async () => {
    const ctx = createTestContext();
    const secret = await createFeed(ctx);
    const account = await createAccount(ctx);
    for (const caption of ["😀".repeat(500), "😀".repeat(501)]) {
      const { id } = await schedulePost(ctx, { accountIds: [account] });
      await updatePostRow(id, { caption });
    }
    const text = (await readText(ctx, secret)).replaceAll("\r\n ", "");
    const descriptions = Array.from(text.matchAll(/^DESCRIPTION:(.*?)\\n\\n/gm), ([, caption = ""]) => caption);
    expect(descriptions.toSorted()).toEqual(["😀".repeat(500), `${"😀".repeat(500)}…`]);
  });

  test("of 2,000 whole captions is smaller than 3 MB", async () => {
    const ctx = createTestContext();
    const secret = await createFeed(ctx);
    await insertPosts(ctx, 2000, "scheduled", NOON);
    await env.DB.prepare("UPDATE posts SET caption = ? WHERE workspace_id = ?")
      .bind("é, ".repeat(6000), ctx.actor.workspaceId)
      .run();
    expect(new TextEncoder().encode(await readText(ctx, secret)).byteLength).toBeLessThan(3_000_000);
  });

  test("holds 2,000 posts at most, those that come first, and says that others are missing", async () => {
    const ctx = createTestContext();
    const secret = await createFeed(ctx);
    await insertPosts(ctx, 2000, "scheduled", NOON);
    await insertPosts(ctx, 3, "cancelled", NOON);
    const whole = await eventsOf(ctx, secret);
    expect(whole).toHaveLength(2000);
    expect(await readText(ctx, secret)).not.toContain("X-WR-CALDESC");
    await insertPosts(ctx, 1, "paused", NOON - DAY);
    const cut = await eventsOf(ctx, secret);
    expect(cut).toHaveLength(2000);
    expect(cut[0]).toMatchObject({ status: "TENTATIVE" });
    expect(cut.at(-1)?.uid).toBe(whole.at(-2)?.uid);
    expect(await readText(ctx, secret)).toContain("X-WR-CALDESC:This workspace has more posts than the 2000");
  });

  test("costs one round trip and the rows that it shows", async () => {
    const ctx = createTestContext();
    const secret = await createFeed(ctx);
    const account = await createAccount(ctx);
    await schedulePost(ctx, { accountIds: [account] });
    await insertPosts(ctx, 300, "published", NOON - 90 * DAY);
    ctx.counting.reset();
    await readFeed(ctx, secret);
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    expect(ctx.counting.count.rowsRead).toBeLessThan(24);
    const { etag = "" } = (await readFeed(ctx, secret)) ?? {};
    ctx.counting.reset();
    await readFeed(ctx, secret, [etag]);
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    expect(ctx.counting.count.rowsRead).toBeLessThan(12);
    ctx.counting.reset();
    expect(await readFeed(ctx, "x".repeat(22))).toBeNull();
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsRead: 0 });
    ctx.counting.reset();
    expect(await readFeed(ctx, "no secret")).toBeNull();
    expect(ctx.counting.count).toMatchObject({ roundTrips: 0 });
  });

  test("scans and sorts nothing", async () => {
    const query = { hash: "h", from: 0, until: 1, rows: 1, knownChanges: null };
    const plans = await env.DB.batch(Object.values(feedStatements(openDb(explainingD1(env.DB)), query)));
    expect(plans.flatMap(({ results }) => results).length).toBeGreaterThan(5);
    expect(costlySteps(plans)).toEqual([]);
  });
});
