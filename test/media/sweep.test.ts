import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { setFailpointHook } from "#core/failpoint.ts";
import type { PostStatus } from "#core/status.ts";
import { importMedia, resolveMedia, startUpload, sweepMedia } from "#media/index.ts";
import { guest, type Guest, refusalOf, stored } from "./test-context.ts";
import { joined, sample } from "./samples.ts";

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

function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

async function photo(ctx: Guest, bytes = joined(sample("photo.jpg"), crypto.randomUUID())) {
  const [item] = await importMedia(ctx, { urls: [ctx.internet.set(`${host}/${crypto.randomUUID()}.jpg`, bytes)] });
  await ctx.settled();
  return { ...item!, bytes };
}

/** A post that uses a media item; only what the sweep reads of it matters. */
async function post(
  ctx: Guest,
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

async function used(ctx: Guest): Promise<number> {
  const row = await env.DB.prepare("SELECT bytes FROM storage_use WHERE workspace_id = ?")
    .bind(ctx.actor.workspaceId)
    .first<{ bytes: number }>();
  return row?.bytes ?? 0;
}

const exists = (ctx: Guest, url: string) =>
  resolveMedia(ctx, { mediaUrls: [url] }).then(
    () => true,
    () => false,
  );

/** Both steps of a removal, with the time between them. */
async function sweepTwice(ctx: Guest) {
  await sweepMedia(ctx);
  pass(11 * MINUTE);
  await sweepMedia(ctx);
}

describe("media that nothing uses", () => {
  test("goes after 30 days: row, object and the room it took", async ({ expect }) => {
    const ctx = guest();
    const item = await photo(ctx);
    expect(await used(ctx)).toBe(item.sizeBytes);
    pass(29 * DAY);
    await sweepTwice(ctx);
    expect(await exists(ctx, item.url)).toBe(true);
    pass(DAY);
    await sweepTwice(ctx);
    expect(await exists(ctx, item.url)).toBe(false);
    expect(await stored(`media/${item.sha256}`)).toEqual([]);
    expect(await used(ctx)).toBe(0);
  });

  test("stays when it is imported again in time", async ({ expect }) => {
    const ctx = guest();
    const item = await photo(ctx);
    pass(29 * DAY);
    await photo(ctx, item.bytes);
    pass(29 * DAY);
    await sweepTwice(ctx);
    expect(await exists(ctx, item.url)).toBe(true);
  });

  test("is first invisible to previews, then removed; a post confirmed in between keeps it", async ({ expect }) => {
    const ctx = guest();
    const item = await photo(ctx);
    pass(30 * DAY + MINUTE);
    await sweepMedia(ctx);
    expect(await refusalOf(resolveMedia(ctx, { mediaUrls: [item.url] }))).toMatchObject({
      details: [{ code: "media_not_found" }],
    });
    expect(await stored(`media/${item.sha256}`)).toHaveLength(1);
    await post(ctx, item.id, "scheduled", Date.now() + DAY);
    pass(11 * MINUTE);
    await sweepMedia(ctx);
    expect(await exists(ctx, item.url)).toBe(true);
    expect(await stored(`media/${item.sha256}`)).toHaveLength(1);
  });

  test("is brought back by an import while it is invisible", async ({ expect }) => {
    const ctx = guest();
    const item = await photo(ctx);
    pass(30 * DAY + MINUTE);
    await sweepMedia(ctx);
    const again = await photo(ctx, item.bytes);
    expect(again.id).toBe(item.id);
    pass(11 * MINUTE);
    await sweepMedia(ctx);
    expect(await exists(ctx, item.url)).toBe(true);
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
    "of a %s post due on day %i and finished on day %s: kept is %s",
    async ([status, due, finished, kept], { expect }) => {
      const ctx = guest();
      const item = await photo(ctx);
      pass(60 * DAY);
      await post(ctx, item.id, status, Date.now() + due * DAY, finished === null ? null : Date.now() + finished * DAY);
      await sweepTwice(ctx);
      expect(await exists(ctx, item.url)).toBe(kept);
      expect(await stored(`media/${item.sha256}`)).toHaveLength(kept ? 1 : 0);
    },
  );

  test("a cancelled post keeps it for 30 days more", async ({ expect }) => {
    const ctx = guest();
    const item = await photo(ctx);
    await post(ctx, item.id, "cancelled", Date.now() + DAY);
    pass(30 * DAY + MINUTE);
    await sweepTwice(ctx);
    expect(await exists(ctx, item.url)).toBe(false);
  });

  test("one use among many is enough", async ({ expect }) => {
    const ctx = guest();
    const item = await photo(ctx);
    pass(100 * DAY);
    await post(ctx, item.id, "published", Date.now() - 90 * DAY, Date.now() - 90 * DAY);
    await post(ctx, item.id, "scheduled", Date.now() + DAY);
    await sweepTwice(ctx);
    expect(await exists(ctx, item.url)).toBe(true);
  });
});

describe("bytes that two workspaces have", () => {
  test("stay until the last of them is gone", async ({ expect }) => {
    const ctx = guest();
    const other = guest({ internet: ctx.internet });
    const item = await photo(ctx);
    pass(10 * DAY);
    const theirs = await photo(other, item.bytes);
    pass(21 * DAY);
    await sweepTwice(ctx);
    expect(await exists(ctx, item.url)).toBe(false);
    expect(await exists(other, theirs.url)).toBe(true);
    expect(await stored(`media/${item.sha256}`)).toHaveLength(1);
    expect([await used(ctx), await used(other)]).toEqual([0, item.sizeBytes]);
    pass(10 * DAY);
    await sweepTwice(ctx);
    expect(await stored(`media/${item.sha256}`)).toEqual([]);
  });

  test("both at once", async ({ expect }) => {
    const ctx = guest();
    const other = guest({ internet: ctx.internet });
    const item = await photo(ctx);
    await photo(other, item.bytes);
    pass(31 * DAY);
    await sweepTwice(ctx);
    expect(await stored(`media/${item.sha256}`)).toEqual([]);
  });
});

describe("a run that dies", () => {
  test("half-way through a removal is taken over, and no import takes up an object that is being deleted", async ({
    expect,
  }) => {
    const ctx = guest();
    const item = await photo(ctx);
    pass(31 * DAY);
    await sweepMedia(ctx);
    pass(11 * MINUTE);
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
    pass(11 * MINUTE);
    await sweepMedia(ctx);
    expect(await used(ctx)).toBe(0);
    const fresh = await photo(ctx, item.bytes);
    expect(fresh.id).not.toBe(item.id);
    expect(await stored(`media/${item.sha256}`)).toHaveLength(1);
  });

  test.for(["media.before_store", "media.before_ready"])(
    "at %s of an import leaves nothing usable, and the next try heals it",
    async (point, { expect }) => {
      const ctx = guest();
      const bytes = joined(sample("photo.jpg"), crypto.randomUUID());
      const url = ctx.internet.set(`${host}/${crypto.randomUUID()}.jpg`, bytes);
      setFailpointHook((here) => {
        if (here === point) {
          throw new Error("killed");
        }
      });
      await expect(importMedia(ctx, { urls: [url] })).rejects.toThrow("killed");
      setFailpointHook(undefined);
      const [item] = await importMedia(ctx, { urls: [url] });
      expect(await stored(`media/${item?.sha256}`)).toHaveLength(1);
      expect(await exists(ctx, item?.url ?? "")).toBe(true);
      expect(await used(ctx)).toBe(bytes.length);
    },
  );

  test("an import that is never tried again is cleaned up after a day", async ({ expect }) => {
    const ctx = guest();
    const url = ctx.internet.set(`${host}/dead.jpg`, joined(sample("photo.jpg"), crypto.randomUUID()));
    setFailpointHook((here) => {
      if (here === "media.before_ready") {
        throw new Error("killed");
      }
    });
    await expect(importMedia(ctx, { urls: [url] })).rejects.toThrow("killed");
    setFailpointHook(undefined);
    const before = await stored("media/");
    pass(DAY + MINUTE);
    await sweepMedia(ctx);
    expect((await stored("media/")).length).toBe(before.length - 1);
    expect(await used(ctx)).toBe(0);
  });
});

describe("uploads never finished", () => {
  test("give their room back after a day, and their address leads nowhere", async ({ expect }) => {
    const ctx = guest();
    const { mediaItem } = await startUpload(ctx, { filename: "a.mp4", contentType: "video/mp4", sizeBytes: 1024 ** 3 });
    expect(await used(ctx)).toBe(1024 ** 3);
    pass(DAY - MINUTE);
    await sweepMedia(ctx);
    expect(await used(ctx)).toBe(1024 ** 3);
    pass(2 * MINUTE);
    const swept = await sweepMedia(ctx);
    expect(swept.abandonedUploads).toBe(1);
    expect(await used(ctx)).toBe(0);
    expect(await refusalOf(resolveMedia(ctx, { mediaUrls: [mediaItem.url] }))).toMatchObject({
      details: [{ code: "media_not_found" }],
    });
  });

  test("what they left in staging goes too, but nothing fresh", async ({ expect }) => {
    const ctx = guest();
    await env.MEDIA.put("incoming/left/0", "bytes");
    vi.setSystemTime(Math.ceil(Date.now() / (60 * MINUTE)) * 60 * MINUTE);
    await sweepMedia(ctx);
    expect(await stored("incoming/left")).toHaveLength(1);
    pass(26 * 60 * MINUTE);
    await sweepMedia(ctx);
    expect(await stored("incoming/left")).toEqual([]);
  });

  test("more than the plan holds cannot even be started", async ({ expect }) => {
    const ctx = guest({ plan: "starter" });
    const start = () => startUpload(ctx, { filename: "a.mp4", contentType: "video/mp4", sizeBytes: 1024 ** 3 });
    for (let count = 0; count < 5; count += 1) {
      await start();
    }
    expect(await refusalOf(start())).toMatchObject({
      code: "storage_limit_reached",
      details: [{ actual: 6 * 1024 ** 3 }],
    });
    const ends = await Promise.allSettled([start(), start()]);
    expect(ends.every(({ status }) => status === "rejected")).toBe(true);
  });

  test.for<[string, { filename?: string; contentType?: string; sizeBytes?: number }, string]>([
    ["no name", { filename: " " }, "filename_invalid"],
    ["a type that is not kept", { contentType: "image/svg+xml" }, "media_unsupported"],
    ["no bytes", { sizeBytes: 0 }, "size_invalid"],
    ["half a byte", { sizeBytes: 1.5 }, "size_invalid"],
    ["an image over 32 MiB", { sizeBytes: 32 * 1024 ** 2 + 1 }, "media_too_large"],
    ["a video over 1 GiB", { contentType: "video/mp4", sizeBytes: 1024 ** 3 + 1 }, "media_too_large"],
  ])("%s is refused", async ([, wrong, code], { expect }) => {
    const ctx = guest();
    const refusal = await refusalOf(
      startUpload(ctx, { filename: "a.jpg", contentType: "image/jpeg", sizeBytes: 5, ...wrong }),
    );
    expect(refusal).toMatchObject({ code: "validation_failed", details: [{ code }] });
  });
});
