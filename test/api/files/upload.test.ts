import { env } from "cloudflare:workers";
import { describe, test, vi } from "vitest";
import { importMedia, resolveMedia, startUpload } from "#media/index.ts";
import { refusalOf, sha256, storedKeys } from "../../media/test-context.ts";
import { concatBytes, sample } from "../../media/samples.ts";
import { call, createTestContext, type TestContext } from "./test-context.ts";

const MIB = 1024 ** 2;

interface Wire {
  error?: string;
  code?: string;
  details?: { code: string; limit?: unknown; actual?: unknown }[];
  media_item?: { id: string; url: string; type: string; sha256: string; content_type: string; size_bytes: number };
  received_parts?: number[];
  missing_parts?: number[];
  upload?: { state: string; received_parts: number[]; missing_parts: number[] };
}

const byNumber = (a: number, b: number) => a - b;
const read = (response: Response): Promise<Wire> => response.json<Wire>();

function fresh(name: "photo.jpg" = "photo.jpg"): Uint8Array<ArrayBuffer> {
  return concatBytes(sample(name), crypto.randomUUID());
}

async function start(ctx: TestContext, bytes: Uint8Array, contentType = "image/jpeg") {
  return startUpload(ctx, { filename: "Photo of us.JPG", contentType, sizeBytes: bytes.length });
}

async function used(ctx: TestContext): Promise<number> {
  const row = await env.DB.prepare("SELECT bytes FROM storage_use WHERE workspace_id = ?")
    .bind(ctx.actor.workspaceId)
    .first<{ bytes: number }>();
  return row?.bytes ?? 0;
}

/** The bytes of a film large enough to be sent in parts, made of a true one and a long `free` box. */
function longFilm(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const film = sample("moov-first.mp4");
  const whole = new Uint8Array(sizeBytes);
  whole.set(film);
  const box = new DataView(whole.buffer, film.length);
  box.setUint32(0, sizeBytes - film.length);
  whole.set(new TextEncoder().encode("free"), film.length + 4);
  crypto.getRandomValues(whole.subarray(film.length + 8, film.length + 1008));
  return whole;
}

describe("one request", () => {
  test("the bytes go to the signed address without a credential and become the promised item", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = fresh();
    const { upload, mediaItem } = await start(ctx, bytes);
    expect(upload).toMatchObject({
      method: "PUT",
      headers: { "content-type": "image/jpeg" },
      parts: null,
      completeUrl: null,
    });
    expect(await used(ctx)).toBe(bytes.length);
    expect(await refusalOf(resolveMedia(ctx, { mediaItems: [mediaItem] }))).toMatchObject({
      details: [{ code: "media_not_ready", param: "media_items[0].url" }],
    });
    const answer = await call(upload.url, { method: "PUT", body: bytes });
    expect(answer.status).toBe(200);
    const { media_item } = await read(answer);
    expect(media_item).toMatchObject({
      id: mediaItem.id,
      url: mediaItem.url,
      type: "image",
      content_type: "image/jpeg",
      sha256: await sha256(bytes),
      size_bytes: bytes.length,
    });
    expect(await resolveMedia(ctx, { mediaItems: [mediaItem] })).toMatchObject([{ id: mediaItem.id, width: 120 }]);
    expect(await used(ctx)).toBe(bytes.length);
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
    const served = await call(mediaItem.url);
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(bytes);
  });

  test("the address works once", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = fresh();
    const { upload } = await start(ctx, bytes);
    await call(upload.url, { method: "PUT", body: bytes });
    const second = await call(upload.url, { method: "PUT", body: bytes });
    expect(second.status).toBe(400);
    expect(await read(second)).toMatchObject({ code: "invalid_state" });
  });

  test("two transfers at once end as one item, and only one is told so", async ({ expect }) => {
    const ctx = createTestContext();
    const first = fresh();
    const second = fresh();
    const { upload, mediaItem } = await start(ctx, first);
    const answers = await Promise.all([first, second, first].map((body) => call(upload.url, { method: "PUT", body })));
    expect(answers.map(({ status }) => status).toSorted(byNumber)).toEqual([200, 400, 400]);
    const [item] = await resolveMedia(ctx, { mediaUrls: [mediaItem.url] });
    expect([await sha256(first), await sha256(second)]).toContain(item?.sha256);
    expect(await used(ctx)).toBe(first.length);
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
  });

  test("a larger file takes the way over staging", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = concatBytes(fresh(), new Uint8Array(6 * MIB));
    const { upload, mediaItem } = await start(ctx, bytes);
    const answer = await call(upload.url, { method: "PUT", body: bytes });
    expect((await read(answer)).media_item?.sha256).toBe(await sha256(bytes));
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
  });

  test.for<[string, (bytes: Uint8Array<ArrayBuffer>) => RequestInit, string]>([
    ["one byte too few", (bytes) => ({ body: bytes.slice(0, -1) }), "size_mismatch"],
    ["one byte too many", (bytes) => ({ body: concatBytes(bytes, "x") }), "size_mismatch"],
    ["fewer, without saying how many", (bytes) => ({ body: streamOf(bytes.slice(0, -1)) }), "size_mismatch"],
    ["more, without saying how many", (bytes) => ({ body: streamOf(concatBytes(bytes, "x")) }), "size_mismatch"],
    ["nothing", () => ({}), "size_mismatch"],
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
      "media_unsupported",
    ],
    ["half a photo", (bytes) => ({ body: padded(sample("photo.jpg").slice(0, 900), bytes.length) }), "media_truncated"],
  ])("%s is refused, and the address still works afterwards", async ([, init, code], { expect }) => {
    const ctx = createTestContext();
    const bytes = concatBytes(fresh(), new Uint8Array(6000));
    const { upload, mediaItem } = await start(ctx, bytes);
    const refused = await call(upload.url, { method: "PUT", ...init(bytes) });
    expect(refused.status).toBe(400);
    expect(await read(refused)).toMatchObject({ code: "validation_failed", details: [{ code }] });
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
    expect((await call(upload.url, { method: "PUT", body: bytes })).status).toBe(200);
  });

  test("bytes that the workspace already has lead to the item that is there, and take no room twice", async ({
    expect,
  }) => {
    const ctx = createTestContext();
    const bytes = fresh();
    const [known] = await importMedia(ctx, { urls: [ctx.internet.set("https://files.example.net/known.jpg", bytes)] });
    const { upload, mediaItem } = await start(ctx, bytes);
    expect(await used(ctx)).toBe(2 * bytes.length);
    const { media_item } = await read(await call(upload.url, { method: "PUT", body: bytes }));
    expect(media_item?.id).toBe(known?.id);
    expect(await used(ctx)).toBe(bytes.length);
    expect(await resolveMedia(ctx, { mediaUrls: [mediaItem.url] })).toMatchObject([{ id: known?.id }]);
    expect((await call(mediaItem.url)).status).toBe(200);
  });
});

describe("the signature", () => {
  const changes: [string, (url: URL) => void][] = [
    ["size", (url) => url.searchParams.set("size", "9")],
    ["type", (url) => url.searchParams.set("type", "video/mp4")],
    ["expiry", (url) => url.searchParams.set("expires", "9999999999")],
    ["signature", (url) => url.searchParams.set("signature", "A".repeat(43))],
    ["half a signature", (url) => url.searchParams.set("signature", "AA")],
    ["no signature", (url) => url.searchParams.delete("signature")],
    ["upload", (url) => (url.pathname = url.pathname.replace(/[0-9a-f]{8}-/, "00000000-"))],
    ["slot", (url) => (url.pathname = url.pathname.replace("/file", "/complete"))],
    ["part", (url) => (url.pathname = url.pathname.replace("/file", "/parts/1"))],
    ["odd part", (url) => (url.pathname = url.pathname.replace("/file", "/parts/01"))],
    ["odd id", (url) => (url.pathname = "/media/uploads/../file")],
  ];
  test.for(changes)("binds the %s: with another one the address does not exist", async ([, change], { expect }) => {
    const ctx = createTestContext();
    const bytes = fresh();
    const { upload } = await start(ctx, bytes);
    const url = new URL(upload.url);
    change(url);
    const answer = await call(url.href, { method: "PUT", body: bytes });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("it expires", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = fresh();
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const { upload } = await start(ctx, bytes);
      vi.setSystemTime(upload.expiresAt + 1);
      const answer = await call(upload.url, { method: "PUT", body: bytes });
      expect(answer.status).toBe(400);
      expect((await read(answer)).error).toMatch(/expired/);
    } finally {
      vi.useRealTimers();
    }
  });

  test("an address signed under an older key still works after the key was changed", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = fresh();
    const { upload } = await start(ctx, bytes);
    const keys = { ...(JSON.parse(env.TOKEN_KEYS) as Record<string, string>), next: btoa("n".repeat(32)) };
    const answer = await call(
      upload.url,
      { method: "PUT", body: bytes },
      { TOKEN_KEYS: JSON.stringify(keys), TOKEN_KEY_ID: "next" },
    );
    expect(answer.status).toBe(200);
  });

  test("a browser may send to it, and to nothing else", async ({ expect }) => {
    const ctx = createTestContext();
    const { upload, mediaItem } = await start(ctx, fresh());
    const preflight = await call(upload.url, { method: "OPTIONS", headers: { origin: "https://app.example" } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toBe("PUT");
    expect((await call(mediaItem.url, { method: "OPTIONS" })).headers.get("access-control-allow-origin")).toBeNull();
  });

  test("other methods are named", async ({ expect }) => {
    const ctx = createTestContext();
    const { upload } = await start(ctx, fresh());
    const answer = await call(upload.url);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "PUT"]);
  });
});

describe("parts", { timeout: 60_000 }, () => {
  const film = longFilm(91 * MIB);

  test("in any order, resumed, put together once", async ({ expect }) => {
    const ctx = createTestContext();
    const { upload, mediaItem } = await startUpload(ctx, {
      filename: "film.mp4",
      contentType: "video/mp4",
      sizeBytes: film.length,
    });
    const [one, two, ...more] = upload.parts ?? [];
    expect(more).toEqual([]);
    expect([one?.sizeBytes, two?.sizeBytes]).toEqual([64 * MIB, 27 * MIB]);
    const completeUrl = upload.completeUrl ?? "";
    const early = await read(await call(completeUrl, { method: "POST" }));
    expect(early).toMatchObject({
      code: "invalid_state",
      details: [{ code: "part_missing", actual: 1 }, { actual: 2 }],
    });

    const second = await call(two?.url ?? "", { method: "PUT", body: film.subarray(64 * MIB) });
    expect(await read(second)).toMatchObject({ received_parts: [2], missing_parts: [1] });
    const again = await call(two?.url ?? "", { method: "PUT", body: film.subarray(64 * MIB) });
    expect([again.status, (await read(again)).code]).toEqual([400, "invalid_state"]);
    expect((await read(await call(completeUrl))).upload).toMatchObject({
      state: "open",
      received_parts: [2],
      missing_parts: [1],
    });
    expect(await refusalOf(resolveMedia(ctx, { mediaUrls: [mediaItem.url] }))).toMatchObject({
      details: [{ code: "media_not_ready" }],
    });

    await call(one?.url ?? "", { method: "PUT", body: film.subarray(0, 64 * MIB) });
    const ends = await Promise.all([call(completeUrl, { method: "POST" }), call(completeUrl, { method: "POST" })]);
    expect(ends.map(({ status }) => status).toSorted(byNumber)).toEqual([200, 400]);
    const whole = await read(ends.find(({ status }) => status === 200) ?? new Response());
    expect(whole.media_item).toMatchObject({
      id: mediaItem.id,
      type: "video",
      sha256: await sha256(film),
      size_bytes: film.length,
    });
    expect((await read(await call(completeUrl))).upload).toMatchObject({ state: "complete", missing_parts: [] });
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
    expect(await used(ctx)).toBe(film.length);
  });

  test("parts that are no film end the upload and give its room back", async ({ expect }) => {
    const ctx = createTestContext();
    const { upload, mediaItem } = await startUpload(ctx, {
      filename: "film.mp4",
      contentType: "video/mp4",
      sizeBytes: film.length,
    });
    const [one, two] = upload.parts ?? [];
    const broken = film.slice(0, 64 * MIB);
    new DataView(broken.buffer).setUint32(sample("moov-first.mp4").length, 0x7fffffff);
    await call(one?.url ?? "", { method: "PUT", body: broken });
    await call(two?.url ?? "", { method: "PUT", body: film.subarray(64 * MIB) });
    const end = await call(upload.completeUrl ?? "", { method: "POST" });
    expect([end.status, (await read(end)).details?.[0]?.code]).toEqual([400, "media_truncated"]);
    expect(await used(ctx)).toBe(0);
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
    expect((await call(upload.completeUrl ?? "", { method: "POST" })).status).toBe(404);
  });

  test("a first part that is no film is refused at once", async ({ expect }) => {
    const ctx = createTestContext();
    const { upload } = await startUpload(ctx, {
      filename: "film.mp4",
      contentType: "video/mp4",
      sizeBytes: film.length,
    });
    const page = padded(concatBytes("<!doctype html><script>"), 64 * MIB);
    const answer = await call(upload.parts?.[0]?.url ?? "", { method: "PUT", body: page });
    expect((await read(answer)).details?.[0]?.code).toBe("media_unsupported");
  });
});

function padded(bytes: Uint8Array, sizeBytes: number): Uint8Array<ArrayBuffer> {
  return concatBytes(bytes, new Uint8Array(sizeBytes - bytes.length));
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
