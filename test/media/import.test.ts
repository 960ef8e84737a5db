import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { importMedia } from "#media/index.ts";
import { IMPORT_LIMITS } from "#media/limits.ts";
import { createTestContext, refusalOf, sha256, storedKeys } from "./test-context.ts";
import { concatBytes, sample } from "./samples.ts";

const host = "https://files.example.net";

describe("an import", () => {
  test("returns the files in the order of the URLs, typed by their bytes", async ({ expect }) => {
    const ctx = createTestContext();
    const photo = ctx.internet.set(`${host}/a/My%20Photo.PNG`, sample("photo.jpg"), { "content-type": "text/html" });
    const video = ctx.internet.set(`${host}/video`, sample("moov-last.mp4"), {
      "content-type": "application/octet-stream",
    });
    const items = await importMedia(ctx, { urls: [video, photo] });
    expect(items).toMatchObject([
      {
        type: "video",
        contentType: "video/mp4",
        width: 192,
        height: 108,
        durationSeconds: 1,
        sizeBytes: sample("moov-last.mp4").length,
      },
      {
        type: "image",
        contentType: "image/jpeg",
        width: 120,
        height: 80,
        durationSeconds: null,
        filename: "My-Photo.jpg",
      },
    ]);
    expect(items[0]?.sha256).toBe(await sha256(sample("moov-last.mp4")));
    expect(items[1]?.url).toBe(`${ctx.config.origin}/media/${items[1]?.id}/My-Photo.jpg`);
    const object = await env.MEDIA.get(`media/${items[0]?.sha256}`);
    expect(new Uint8Array((await object?.arrayBuffer()) ?? [])).toEqual(sample("moov-last.mp4"));
  });

  test("stores the same bytes once, as one item per workspace", async ({ expect }) => {
    const ctx = createTestContext();
    const other = createTestContext({ internet: ctx.internet });
    const bytes = concatBytes(sample("photo.jpg"), crypto.randomUUID());
    const first = ctx.internet.set(`${host}/one.jpg`, bytes);
    const second = ctx.internet.set(`${host}/two.jpg`, bytes);
    const [a, b] = await importMedia(ctx, { urls: [first, second] });
    const [c] = await importMedia(ctx, { urls: [second] });
    const [d] = await importMedia(other, { urls: [second] });
    expect(b?.id).toBe(a?.id);
    expect(c?.id).toBe(a?.id);
    expect(d?.id).not.toBe(a?.id);
    expect(await storedKeys(`media/${a?.sha256}`)).toHaveLength(1);
  });

  test("accepts a source without a content-length, and leaves nothing in staging", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = concatBytes(
      sample("photo.jpg"),
      crypto.getRandomValues(new Uint8Array(60_000)),
      new Uint8Array(9 * 1024 * 1024),
    );
    const url = ctx.internet.set(`${host}/long.jpg`, () => new Response(streamInChunks(bytes, 100_000)));
    const [item] = await importMedia(ctx, { urls: [url] });
    await ctx.deferredWork();
    expect(item?.sizeBytes).toBe(bytes.length);
    expect(item?.sha256).toBe(await sha256(bytes));
    expect(await storedKeys("incoming/")).toEqual([]);
  });

  test("stages a large file with a content-length, and leaves nothing in staging", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = concatBytes(
      sample("photo.jpg"),
      crypto.getRandomValues(new Uint8Array(1000)),
      new Uint8Array(9 * 1024 * 1024),
    );
    const [item] = await importMedia(ctx, { urls: [ctx.internet.set(`${host}/big.jpg`, bytes)] });
    await ctx.deferredWork();
    expect(item?.sha256).toBe(await sha256(bytes));
    expect((await env.MEDIA.head(`media/${item?.sha256}`))?.size).toBe(bytes.length);
    expect(await storedKeys("incoming/")).toEqual([]);
  });

  test("follows at most five redirects", async ({ expect }) => {
    const ctx = createTestContext();
    for (let hop = 0; hop < 7; hop += 1) {
      ctx.internet.set(
        `${host}/hop/${hop}`,
        () => new Response(null, { status: 302, headers: { location: `/hop/${hop + 1}` } }),
      );
    }
    ctx.internet.set(`${host}/hop/7`, sample("photo.png"));
    const [item] = await importMedia(ctx, { urls: [`${host}/hop/2`] });
    expect(item?.contentType).toBe("image/png");
    const refusal = await refusalOf(importMedia(ctx, { urls: [`${host}/hop/1`] }));
    expect(refusal.details).toMatchObject([{ code: "too_many_redirects", limit: 5 }]);
  });

  test("looks up a URL of this service and does not fetch it", async ({ expect }) => {
    const ctx = createTestContext();
    const [first] = await importMedia(ctx, { urls: [ctx.internet.set(`${host}/x.png`, sample("photo.png"))] });
    const [again] = await importMedia(ctx, { urls: [first?.url ?? ""] });
    expect(again).toEqual(first);
    expect(ctx.internet.requests).toHaveLength(1);
  });
});

describe("all or nothing", () => {
  test("one detail for each URL that failed, and none of the others is saved", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = concatBytes(sample("photo.jpg"), crypto.randomUUID());
    const urls = [
      ctx.internet.set(`${host}/good.jpg`, bytes),
      ctx.internet.set(`${host}/page.jpg`, concatBytes("<!doctype html><title>x</title>"), {
        "content-type": "image/jpeg",
      }),
      `${host}/gone.jpg`,
      "https://10.0.0.1/a.jpg",
      ctx.internet.set(`${host}/cut.mp4`, sample("moov-last.mp4").slice(0, 5000)),
      "not an address",
    ];
    const refusal = await refusalOf(importMedia(ctx, { urls }));
    await ctx.deferredWork();
    expect(refusal.code).toBe("validation_failed");
    expect(refusal.details).toMatchObject([
      { code: "media_type_unsupported", param: "urls[1]", actual: "a web page, not the file itself" },
      { code: "source_refused", param: "urls[2]", actual: 404 },
      { code: "url_not_public", param: "urls[3]" },
      { code: "media_truncated", param: "urls[4]" },
      { code: "url_invalid", param: "urls[5]" },
    ]);
    const rows = await env.DB.prepare("SELECT id FROM media WHERE workspace_id = ?").bind(ctx.actor.workspaceId).all();
    expect(rows.results).toEqual([]);
    expect(await storedKeys(`media/${await sha256(bytes)}`)).toEqual([]);
    expect(await storedKeys("incoming/")).toEqual([]);
  });

  test("no URL and more than ten are refused before anything is fetched", async ({ expect }) => {
    const ctx = createTestContext();
    const many = Array.from({ length: 11 }, (_, index) => `${host}/${index}.jpg`);
    expect(await refusalOf(importMedia(ctx, { urls: many }))).toMatchObject({ details: [{ limit: 10, actual: 11 }] });
    expect(await refusalOf(importMedia(ctx, { urls: [] }))).toMatchObject({ code: "validation_failed" });
    expect(ctx.internet.requests).toEqual([]);
  });
});

describe("limits are enforced during the transfer", () => {
  const small = {
    ...IMPORT_LIMITS,
    maxBytes: { image: 20_000, video: 40_000, document: 40_000 },
    maxUnpackedBytes: 10_000,
    idleMs: 60,
    totalMs: 250,
  };
  const photoWithPadding = (bytes: number) => concatBytes(sample("photo.jpg"), new Uint8Array(bytes));

  test("a content-length over the type's limit ends it after the first chunk", async ({ expect }) => {
    const ctx = createTestContext();
    const read: number[] = [];
    const url = ctx.internet.set(
      `${host}/stated.jpg`,
      () =>
        new Response(streamInChunks(photoWithPadding(30_000), 5000, read), { headers: { "content-length": "31402" } }),
    );
    const refusal = await refusalOf(importMedia(ctx, { urls: [url] }, small));
    expect(refusal.details).toMatchObject([
      { code: "media_too_large", limit: 20_000, actual: 31_402, param: "urls[0]" },
    ]);
    expect(read.length).toBeLessThan(4);
  });

  test("a content-length over every limit ends it before anything is read", async ({ expect }) => {
    const ctx = createTestContext();
    const silent = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(10)) });
    const url = ctx.internet.set(
      `${host}/vast.mp4`,
      () => new Response(silent, { headers: { "content-length": "5000000000" } }),
    );
    const refusal = await refusalOf(importMedia(ctx, { urls: [url] }));
    expect(refusal.details).toMatchObject([{ code: "media_too_large", limit: 1024 ** 3, actual: 5_000_000_000 }]);
  });

  test("a source without a content-length is cut off at the limit", async ({ expect }) => {
    const ctx = createTestContext();
    const read: number[] = [];
    const url = ctx.internet.set(
      `${host}/endless.jpg`,
      () => new Response(streamInChunks(photoWithPadding(10_000_000), 5000, read)),
    );
    const refusal = await refusalOf(importMedia(ctx, { urls: [url] }, small));
    expect(refusal.details).toMatchObject([{ code: "media_too_large", limit: 20_000 }]);
    expect(read.length).toBeLessThan(10);
  });

  test.for<[string, number, string]>([
    ["more", 3000, "more"],
    ["fewer", 12_000, "fewer"],
  ])("a source that sends %s bytes than its content-length", async ([, contentLength, comparison], { expect }) => {
    const ctx = createTestContext();
    const url = ctx.internet.set(
      `${host}/liar.jpg`,
      () =>
        new Response(streamInChunks(photoWithPadding(5000), 1000), {
          headers: { "content-length": String(contentLength) },
        }),
    );
    const refusal = await refusalOf(importMedia(ctx, { urls: [url] }, small));
    expect(refusal.details).toMatchObject([{ code: "source_broke_off", message: expect.stringContaining(comparison) }]);
  });

  test("the unpacked size of a compressed response has its own limit", async ({ expect }) => {
    const ctx = createTestContext();
    const url = ctx.internet.set(
      `${host}/bomb.jpg`,
      () =>
        new Response(streamInChunks(photoWithPadding(15_000), 1000), {
          headers: { "content-encoding": "gzip", "content-length": "40" },
          encodeBody: "manual",
        }),
    );
    const refusal = await refusalOf(importMedia(ctx, { urls: [url] }, small));
    expect(refusal.details).toMatchObject([{ code: "media_too_large", limit: 10_000 }]);
  });

  test("a source that stops sending ends with a timeout", async ({ expect }) => {
    const ctx = createTestContext();
    const silent = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(sample("photo.jpg").subarray(0, 500)),
    });
    const url = ctx.internet.set(`${host}/silent.jpg`, () => new Response(silent));
    const refusal = await refusalOf(importMedia(ctx, { urls: [url] }, small));
    expect(refusal.details).toMatchObject([
      { code: "source_broke_off", message: expect.stringContaining("nothing for 0.06 s") },
    ]);
  });

  test("a source that never responds is unreachable", async ({ expect }) => {
    const ctx = createTestContext();
    const url = ctx.internet.set(`${host}/never.jpg`, () => new Promise<Response>(() => undefined));
    const refusal = await refusalOf(importMedia(ctx, { urls: [url] }, small));
    expect(refusal.details).toMatchObject([{ code: "source_unreachable" }]);
  });

  test("a source that sends too slowly exceeds the total time", async ({ expect }) => {
    const ctx = createTestContext();
    const url = ctx.internet.set(
      `${host}/drip.jpg`,
      () => new Response(streamInChunks(photoWithPadding(15_000), 200, [], 20)),
    );
    const refusal = await refusalOf(importMedia(ctx, { urls: [url] }, small));
    expect(refusal.details).toMatchObject([{ code: "source_broke_off", message: expect.stringContaining("in total") }]);
  });

  test("an empty file is refused", async ({ expect }) => {
    const ctx = createTestContext();
    const url = ctx.internet.set(`${host}/empty.jpg`, () => new Response(new Uint8Array(0)));
    expect(await refusalOf(importMedia(ctx, { urls: [url] }))).toMatchObject({ details: [{ code: "media_empty" }] });
  });
});

describe("the plan's storage", () => {
  test("files that exceed it are all refused, and files that are stored already need no storage", async ({
    expect,
  }) => {
    const ctx = createTestContext({ plan: "starter" });
    const bytes = concatBytes(sample("photo.jpg"), crypto.randomUUID());
    const url = ctx.internet.set(`${host}/fits.jpg`, bytes);
    const usedBytes = 5 * 1024 ** 3 - bytes.length;
    await env.DB.prepare("INSERT INTO storage_use (workspace_id, bytes) VALUES (?, ?)")
      .bind(ctx.actor.workspaceId, usedBytes)
      .run();
    await importMedia(ctx, { urls: [url] });
    await importMedia(ctx, { urls: [url] });
    const more = ctx.internet.set(`${host}/more.jpg`, concatBytes(sample("photo.jpg"), crypto.randomUUID()));
    const refusal = await refusalOf(importMedia(ctx, { urls: [url, more] }));
    expect(refusal).toMatchObject({ code: "storage_limit_reached", details: [{ limit: 5 * 1024 ** 3 }] });
    const row = await env.DB.prepare("SELECT bytes FROM storage_use WHERE workspace_id = ?")
      .bind(ctx.actor.workspaceId)
      .first();
    expect(row).toEqual({ bytes: 5 * 1024 ** 3 });
  });
});

/** A body that sends `chunkBytes` at a time and records the offset of every chunk that was read. */
function streamInChunks(
  bytes: Uint8Array,
  chunkBytes: number,
  read: number[] = [],
  delayMs = 0,
): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream({
    async pull(controller) {
      await (delayMs > 0 ? scheduler.wait(delayMs) : null);
      if (offset >= bytes.length) {
        controller.close();
        return;
      }
      read.push(offset);
      controller.enqueue(bytes.subarray(offset, offset + chunkBytes));
      offset += chunkBytes;
    },
  });
}
