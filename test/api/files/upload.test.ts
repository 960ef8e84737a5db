import { env } from "cloudflare:workers";
import { describe, test, vi } from "vitest";
import { importMedia, startUpload } from "#media/index.ts";
import { resolveMedia } from "../../support/resolve-media.ts";
import { refusalOf, sha256, storedKeys } from "../../media/test-context.ts";
import { concatBytes, sample } from "../../media/samples.ts";
import {
  byNumber,
  callFileRoutes,
  createTestContext,
  padded,
  readJson,
  storageUsed,
  type TestContext,
} from "./call-file-routes.ts";

const MIB = 1024 ** 2;

function uniquePhoto(name: "photo.jpg" = "photo.jpg"): Uint8Array<ArrayBuffer> {
  return concatBytes(sample(name), crypto.randomUUID());
}

async function startPhotoUpload(ctx: TestContext, bytes: Uint8Array, contentType = "image/jpeg") {
  return startUpload(ctx, { filename: "Photo of us.JPG", contentType, sizeBytes: bytes.length });
}

describe("one request", () => {
  test("the signed URL accepts the bytes without a credential and stores the announced media item", async ({
    expect,
  }) => {
    const ctx = createTestContext();
    const bytes = uniquePhoto();
    const { upload, file: mediaItem } = await startPhotoUpload(ctx, bytes);
    expect(upload).toMatchObject({
      method: "PUT",
      headers: { "content-type": "image/jpeg" },
      parts: null,
      completeUrl: null,
    });
    expect(await storageUsed(ctx)).toBe(bytes.length);
    expect(await refusalOf(resolveMedia(ctx, { mediaItems: [{ url: mediaItem.url, type: "image" }] }))).toMatchObject({
      details: [{ code: "media_not_ready", param: "media_items[0].url" }],
    });
    const response = await callFileRoutes(upload.url, { method: "PUT", body: bytes });
    expect(response.status).toBe(200);
    const { media_item } = await readJson(response);
    expect(media_item).toMatchObject({
      id: mediaItem.id,
      url: mediaItem.url,
      type: "image",
      content_type: "image/jpeg",
      sha256: await sha256(bytes),
      size_bytes: bytes.length,
    });
    expect(await resolveMedia(ctx, { mediaItems: [{ url: mediaItem.url, type: "image" }] })).toMatchObject([
      { id: mediaItem.id, width: 120 },
    ]);
    expect(await storageUsed(ctx)).toBe(bytes.length);
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
    const served = await callFileRoutes(mediaItem.url);
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(bytes);
  });

  test("the URL works once", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = uniquePhoto();
    const { upload } = await startPhotoUpload(ctx, bytes);
    await callFileRoutes(upload.url, { method: "PUT", body: bytes });
    const second = await callFileRoutes(upload.url, { method: "PUT", body: bytes });
    expect(second.status).toBe(400);
    expect(await readJson(second)).toMatchObject({ code: "invalid_state" });
  });

  test("of parallel transfers exactly one succeeds", async ({ expect }) => {
    const ctx = createTestContext();
    const first = uniquePhoto();
    const second = uniquePhoto();
    const { upload, file: mediaItem } = await startPhotoUpload(ctx, first);
    const responses = await Promise.all(
      [first, second, first].map((body) => callFileRoutes(upload.url, { method: "PUT", body })),
    );
    expect(responses.map(({ status }) => status).toSorted(byNumber)).toEqual([200, 400, 400]);
    const [item] = await resolveMedia(ctx, { mediaUrls: [mediaItem.url] });
    expect([await sha256(first), await sha256(second)]).toContain(item?.sha256);
    expect(await storageUsed(ctx)).toBe(first.length);
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
  });

  test("a larger file is staged first", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = concatBytes(uniquePhoto(), new Uint8Array(6 * MIB));
    const { upload, file: mediaItem } = await startPhotoUpload(ctx, bytes);
    const response = await callFileRoutes(upload.url, { method: "PUT", body: bytes });
    expect((await readJson(response)).media_item?.sha256).toBe(await sha256(bytes));
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
  });

  test.for<[string, (bytes: Uint8Array<ArrayBuffer>) => RequestInit, string]>([
    ["one byte too few", (bytes) => ({ body: bytes.slice(0, -1) }), "size_mismatch"],
    ["one byte too many", (bytes) => ({ body: concatBytes(bytes, "x") }), "size_mismatch"],
    ["too few bytes without content-length", (bytes) => ({ body: streamOf(bytes.slice(0, -1)) }), "size_mismatch"],
    [
      "too many bytes without content-length",
      (bytes) => ({ body: streamOf(concatBytes(bytes, "x")) }),
      "size_mismatch",
    ],
    ["no body", () => ({}), "size_mismatch"],
    [
      "another type by its header",
      (bytes) => ({ body: bytes, headers: { "content-type": "video/mp4" } }),
      "media_type_mismatch",
    ],
    [
      "another type by its bytes",
      (bytes) => ({ body: padded(sample("photo.png"), bytes.length) }),
      "media_type_mismatch",
    ],
    [
      "a web page",
      (bytes) => ({ body: padded(concatBytes("<!doctype html><script>1</script>"), bytes.length) }),
      "media_type_unsupported",
    ],
    [
      "a truncated photo",
      (bytes) => ({ body: padded(sample("photo.jpg").slice(0, 900), bytes.length) }),
      "media_truncated",
    ],
  ])("%s is refused, and the URL still works afterwards", async ([, init, code], { expect }) => {
    const ctx = createTestContext();
    const bytes = concatBytes(uniquePhoto(), new Uint8Array(6000));
    const { upload, file: mediaItem } = await startPhotoUpload(ctx, bytes);
    const refused = await callFileRoutes(upload.url, { method: "PUT", ...init(bytes) });
    expect(refused.status).toBe(400);
    expect(await readJson(refused)).toMatchObject({ code: "validation_failed", details: [{ code }] });
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
    expect((await callFileRoutes(upload.url, { method: "PUT", body: bytes })).status).toBe(200);
  });

  test("bytes that the workspace already has return the existing item and count once", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = uniquePhoto();
    const [known] = await importMedia(ctx, { urls: [ctx.internet.set("https://files.example.net/known.jpg", bytes)] });
    const { upload, file: mediaItem } = await startPhotoUpload(ctx, bytes);
    expect(await storageUsed(ctx)).toBe(2 * bytes.length);
    const { media_item } = await readJson(await callFileRoutes(upload.url, { method: "PUT", body: bytes }));
    expect(media_item?.id).toBe(known?.id);
    expect(await storageUsed(ctx)).toBe(bytes.length);
    expect(await resolveMedia(ctx, { mediaUrls: [mediaItem.url] })).toMatchObject([{ id: known?.id }]);
    expect((await callFileRoutes(mediaItem.url)).status).toBe(200);
  });
});

describe("the signature", () => {
  const CHANGES: [string, (url: URL) => void][] = [
    ["size", (url) => url.searchParams.set("size", "9")],
    ["type", (url) => url.searchParams.set("type", "video/mp4")],
    ["expiry", (url) => url.searchParams.set("expires", "9999999999")],
    ["signature", (url) => url.searchParams.set("signature", "A".repeat(43))],
    ["half a signature", (url) => url.searchParams.set("signature", "AA")],
    ["no signature", (url) => url.searchParams.delete("signature")],
    ["upload", (url) => (url.pathname = url.pathname.replace(/[0-9a-f]{8}-/, "00000000-"))],
    ["slot", (url) => (url.pathname = url.pathname.replace("/file", "/complete"))],
    ["part", (url) => (url.pathname = url.pathname.replace("/file", "/parts/1"))],
    ["part with a leading zero", (url) => (url.pathname = url.pathname.replace("/file", "/parts/01"))],
    ["id that is not a UUID", (url) => (url.pathname = "/media/uploads/../file")],
  ];
  test.for(CHANGES)("binds the %s: a changed URL is 404", async ([, change], { expect }) => {
    const ctx = createTestContext();
    const bytes = uniquePhoto();
    const { upload } = await startPhotoUpload(ctx, bytes);
    const url = new URL(upload.url);
    change(url);
    const response = await callFileRoutes(url.href, { method: "PUT", body: bytes });
    expect(response.status).toBe(404);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("expires", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = uniquePhoto();
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const { upload } = await startPhotoUpload(ctx, bytes);
      vi.setSystemTime(upload.expiresAt + 1);
      const response = await callFileRoutes(upload.url, { method: "PUT", body: bytes });
      expect(response.status).toBe(400);
      expect((await readJson(response)).error).toMatch(/expired/);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a URL signed with an older key still works after key rotation", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = uniquePhoto();
    const { upload } = await startPhotoUpload(ctx, bytes);
    const keys = { ...(JSON.parse(env.TOKEN_KEYS) as Record<string, string>), next: btoa("n".repeat(32)) };
    const response = await callFileRoutes(
      upload.url,
      { method: "PUT", body: bytes },
      { TOKEN_KEYS: JSON.stringify(keys), TOKEN_KEY_ID: "next" },
    );
    expect(response.status).toBe(200);
  });

  test("allows browsers to send to the upload URL only", async ({ expect }) => {
    const ctx = createTestContext();
    const { upload, file: mediaItem } = await startPhotoUpload(ctx, uniquePhoto());
    const preflight = await callFileRoutes(upload.url, {
      method: "OPTIONS",
      headers: { origin: "https://app.example" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toBe("PUT");
    expect(
      (await callFileRoutes(mediaItem.url, { method: "OPTIONS" })).headers.get("access-control-allow-origin"),
    ).toBeNull();
  });

  test("405 names the allowed method", async ({ expect }) => {
    const ctx = createTestContext();
    const { upload } = await startPhotoUpload(ctx, uniquePhoto());
    const response = await callFileRoutes(upload.url);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "PUT"]);
  });
});

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
