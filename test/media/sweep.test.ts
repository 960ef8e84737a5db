import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { setFailpointHook } from "#core/failpoint.ts";
import type { PostStatus } from "#core/status.ts";
import { importMedia, startUpload, sweepMedia } from "#media/index.ts";
import { resolveMedia } from "../support/resolve-media.ts";
import { createTestContext, type TestContext, refusalOf, storedKeys } from "./test-context.ts";
import { concatBytes, sample } from "./samples.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const host = "https://files.example.net";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  setFailpointHook(undefined);
});

function advanceTime(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

async function importPhoto(ctx: TestContext, bytes = concatBytes(sample("photo.jpg"), crypto.randomUUID())) {
  const [item] = await importMedia(ctx, { urls: [ctx.internet.set(`${host}/${crypto.randomUUID()}.jpg`, bytes)] });
  await ctx.deferredWork();
  return { ...item!, bytes };
}

/** Inserts a post that uses a media item, with only the columns that the sweep reads set to meaningful values. */
async function insertPost(
  ctx: TestContext,
  mediaId: string,
  status: PostStatus,
  scheduledAt: number,
  finishedAt: number | null = null,
) {
  const id = crypto.randomUUID();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
         confirm_hash, created_via, created_at, updated_at, finished_at)
       VALUES (?, ?, ?, ?, ?, 1, 'image', 'x', '[]', '[]', 'x', 'x', 'api', ?, ?, ?)`,
    ).bind(id, ctx.actor.workspaceId, ctx.actor.userId, status, scheduledAt, Date.now(), Date.now(), finishedAt),
    env.DB.prepare("INSERT INTO post_media (media_id, post_id) VALUES (?, ?)").bind(mediaId, id),
  ]);
  return id;
}

async function usedBytes(ctx: TestContext): Promise<number> {
  const row = await env.DB.prepare("SELECT bytes FROM storage_use WHERE workspace_id = ?")
    .bind(ctx.actor.workspaceId)
    .first<{ bytes: number }>();
  return row?.bytes ?? 0;
}

const isUsable = (ctx: TestContext, url: string) =>
  resolveMedia(ctx, { mediaUrls: [url] }).then(
    () => true,
    () => false,
  );

/** Runs both steps of a removal, with the required time between them. */
async function sweepTwice(ctx: TestContext) {
  await sweepMedia(ctx);
  advanceTime(11 * MINUTE);
  await sweepMedia(ctx);
}

describe("media that nothing uses", () => {
  test("is removed after 30 days: its row, its object and its share of the storage quota", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    expect(await usedBytes(ctx)).toBe(item.sizeBytes);
    advanceTime(29 * DAY);
    await sweepTwice(ctx);
    expect(await isUsable(ctx, item.url)).toBe(true);
    advanceTime(DAY);
    await sweepTwice(ctx);
    expect(await isUsable(ctx, item.url)).toBe(false);
    expect(await storedKeys(`media/${item.sha256}`)).toEqual([]);
    expect(await usedBytes(ctx)).toBe(0);
  });

  test("is kept when it is imported again in time", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    advanceTime(29 * DAY);
    await importPhoto(ctx, item.bytes);
    advanceTime(29 * DAY);
    await sweepTwice(ctx);
    expect(await isUsable(ctx, item.url)).toBe(true);
  });

  test("is first hidden from previews, then removed; a post confirmed in between keeps it", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    advanceTime(30 * DAY + MINUTE);
    await sweepMedia(ctx);
    expect(await refusalOf(resolveMedia(ctx, { mediaUrls: [item.url] }))).toMatchObject({
      details: [{ code: "media_not_found" }],
    });
    expect(await storedKeys(`media/${item.sha256}`)).toHaveLength(1);
    await insertPost(ctx, item.id, "scheduled", Date.now() + DAY);
    advanceTime(11 * MINUTE);
    await sweepMedia(ctx);
    expect(await isUsable(ctx, item.url)).toBe(true);
    expect(await storedKeys(`media/${item.sha256}`)).toHaveLength(1);
  });

  test("is made available again by an import while it is hidden", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    advanceTime(30 * DAY + MINUTE);
    await sweepMedia(ctx);
    const again = await importPhoto(ctx, item.bytes);
    expect(again.id).toBe(item.id);
    advanceTime(11 * MINUTE);
    await sweepMedia(ctx);
    expect(await isUsable(ctx, item.url)).toBe(true);
  });
});

describe("media of a post", () => {
  test.for<[PostStatus, number, number | null, boolean]>([
    ["scheduled", 300, null, true],
    ["paused", -50, null, true],
    ["publishing", -50, null, true],
    ["published", -40, -20, true],
    ["failed", -40, -20, true],
    ["partially_failed", -40, -29, true],
    ["published", -40, -31, false],
    ["failed", -40, -31, false],
  ])(
    "of a %s post due on day %i and finished on day %s: kept %s",
    async ([status, due, finished, kept], { expect }) => {
      const ctx = createTestContext();
      const item = await importPhoto(ctx);
      advanceTime(60 * DAY);
      await insertPost(
        ctx,
        item.id,
        status,
        Date.now() + due * DAY,
        finished === null ? null : Date.now() + finished * DAY,
      );
      await sweepTwice(ctx);
      expect(await isUsable(ctx, item.url)).toBe(kept);
      expect(await storedKeys(`media/${item.sha256}`)).toHaveLength(kept ? 1 : 0);
    },
  );

  test("a cancelled post keeps it for another 30 days", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    await insertPost(ctx, item.id, "cancelled", Date.now() + DAY);
    advanceTime(30 * DAY + MINUTE);
    await sweepTwice(ctx);
    expect(await isUsable(ctx, item.url)).toBe(false);
  });

  test("one post that needs it is enough", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    advanceTime(100 * DAY);
    await insertPost(ctx, item.id, "published", Date.now() - 90 * DAY, Date.now() - 90 * DAY);
    await insertPost(ctx, item.id, "scheduled", Date.now() + DAY);
    await sweepTwice(ctx);
    expect(await isUsable(ctx, item.url)).toBe(true);
  });
});

describe("a file that two workspaces have", () => {
  test("is kept until the last of them no longer uses it", async ({ expect }) => {
    const ctx = createTestContext();
    const other = createTestContext({ internet: ctx.internet });
    const item = await importPhoto(ctx);
    advanceTime(10 * DAY);
    const theirs = await importPhoto(other, item.bytes);
    advanceTime(21 * DAY);
    await sweepTwice(ctx);
    expect(await isUsable(ctx, item.url)).toBe(false);
    expect(await isUsable(other, theirs.url)).toBe(true);
    expect(await storedKeys(`media/${item.sha256}`)).toHaveLength(1);
    expect([await usedBytes(ctx), await usedBytes(other)]).toEqual([0, item.sizeBytes]);
    advanceTime(10 * DAY);
    await sweepTwice(ctx);
    expect(await storedKeys(`media/${item.sha256}`)).toEqual([]);
  });

  test("is removed when both items expire at the same time", async ({ expect }) => {
    const ctx = createTestContext();
    const other = createTestContext({ internet: ctx.internet });
    const item = await importPhoto(ctx);
    await importPhoto(other, item.bytes);
    advanceTime(31 * DAY);
    await sweepTwice(ctx);
    expect(await storedKeys(`media/${item.sha256}`)).toEqual([]);
  });
});

describe("a run that crashes", () => {
  test("during a removal is taken over, and no import reuses an object that is being deleted", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    advanceTime(31 * DAY);
    await sweepMedia(ctx);
    advanceTime(11 * MINUTE);
    setFailpointHook((point) => {
      if (point === "media.objects_deleted") {
        throw new Error("killed");
      }
    });
    await expect(sweepMedia(ctx)).rejects.toThrow("killed");
    setFailpointHook(undefined);
    const again = ctx.internet.set(`${host}/again.jpg`, item.bytes);
    expect(await refusalOf(importMedia(ctx, { urls: [again] }))).toMatchObject({
      message: expect.stringContaining("being removed"),
    });
    advanceTime(11 * MINUTE);
    await sweepMedia(ctx);
    expect(await usedBytes(ctx)).toBe(0);
    const fresh = await importPhoto(ctx, item.bytes);
    expect(fresh.id).not.toBe(item.id);
    expect(await storedKeys(`media/${item.sha256}`)).toHaveLength(1);
  });

  test.for(["media.before_store", "media.before_ready"])(
    "at %s of an import leaves no usable item, and the next attempt completes it",
    async (point, { expect }) => {
      const ctx = createTestContext();
      const bytes = concatBytes(sample("photo.jpg"), crypto.randomUUID());
      const url = ctx.internet.set(`${host}/${crypto.randomUUID()}.jpg`, bytes);
      setFailpointHook((reached) => {
        if (reached === point) {
          throw new Error("killed");
        }
      });
      await expect(importMedia(ctx, { urls: [url] })).rejects.toThrow("killed");
      setFailpointHook(undefined);
      const [item] = await importMedia(ctx, { urls: [url] });
      expect(await storedKeys(`media/${item?.sha256}`)).toHaveLength(1);
      expect(await isUsable(ctx, item?.url ?? "")).toBe(true);
      expect(await usedBytes(ctx)).toBe(bytes.length);
    },
  );

  test("an import that is never retried is removed after a day", async ({ expect }) => {
    const ctx = createTestContext();
    const url = ctx.internet.set(`${host}/dead.jpg`, concatBytes(sample("photo.jpg"), crypto.randomUUID()));
    setFailpointHook((reached) => {
      if (reached === "media.before_ready") {
        throw new Error("killed");
      }
    });
    await expect(importMedia(ctx, { urls: [url] })).rejects.toThrow("killed");
    setFailpointHook(undefined);
    const before = await storedKeys("media/");
    advanceTime(DAY + MINUTE);
    await sweepMedia(ctx);
    expect((await storedKeys("media/")).length).toBe(before.length - 1);
    expect(await usedBytes(ctx)).toBe(0);
  });
});

describe("abandoned uploads", () => {
  test("release their storage after a day, and their media URL is unknown", async ({ expect }) => {
    const ctx = createTestContext();
    const { file: mediaItem } = await startUpload(ctx, {
      filename: "a.mp4",
      contentType: "video/mp4",
      sizeBytes: 1024 ** 3,
    });
    expect(await usedBytes(ctx)).toBe(1024 ** 3);
    advanceTime(DAY - MINUTE);
    await sweepMedia(ctx);
    expect(await usedBytes(ctx)).toBe(1024 ** 3);
    advanceTime(2 * MINUTE);
    const swept = await sweepMedia(ctx);
    expect(swept.abandonedUploads).toBe(1);
    expect(await usedBytes(ctx)).toBe(0);
    expect(await refusalOf(resolveMedia(ctx, { mediaUrls: [mediaItem.url] }))).toMatchObject({
      details: [{ code: "media_not_found" }],
    });
  });

  test("their old staged objects are deleted, but no recent ones", async ({ expect }) => {
    const ctx = createTestContext();
    await env.MEDIA.put("incoming/left/0", "bytes");
    vi.setSystemTime(Math.ceil(Date.now() / (60 * MINUTE)) * 60 * MINUTE);
    await sweepMedia(ctx);
    expect(await storedKeys("incoming/left")).toHaveLength(1);
    advanceTime(26 * 60 * MINUTE);
    await sweepMedia(ctx);
    expect(await storedKeys("incoming/left")).toEqual([]);
  });

  test("an upload that exceeds the plan's storage cannot be started", async ({ expect }) => {
    const ctx = createTestContext({ plan: "starter" });
    const start = () => startUpload(ctx, { filename: "a.mp4", contentType: "video/mp4", sizeBytes: 1024 ** 3 });
    for (let count = 0; count < 5; count += 1) {
      await start();
    }
    expect(await refusalOf(start())).toMatchObject({
      code: "storage_limit_reached",
      details: [{ actual: 6 * 1024 ** 3 }],
    });
    const results = await Promise.allSettled([start(), start()]);
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
  });

  test.for<[string, { filename?: string; contentType?: string; sizeBytes?: number }, string]>([
    ["no name", { filename: " " }, "filename_invalid"],
    ["an unsupported type", { contentType: "image/svg+xml" }, "media_type_unsupported"],
    ["no bytes", { sizeBytes: 0 }, "out_of_range"],
    ["half a byte", { sizeBytes: 1.5 }, "out_of_range"],
    ["an image over 32 MiB", { sizeBytes: 32 * 1024 ** 2 + 1 }, "media_too_large"],
    ["a video over 1 GiB", { contentType: "video/mp4", sizeBytes: 1024 ** 3 + 1 }, "media_too_large"],
  ])("%s is refused", async ([, wrong, code], { expect }) => {
    const ctx = createTestContext();
    const refusal = await refusalOf(
      startUpload(ctx, { filename: "a.jpg", contentType: "image/jpeg", sizeBytes: 5, ...wrong }),
    );
    expect(refusal).toMatchObject({ code: "validation_failed", details: [{ code }] });
  });
});
