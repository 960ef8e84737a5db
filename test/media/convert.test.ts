import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import type { Images } from "#context.ts";
import { HOUR } from "#core/clock.ts";
import { deleteMedia, importImages, importMedia, receiveUnsizedFile, startUpload, sweepMedia } from "#media/index.ts";
import { saveMedia } from "#media/storage/save-media.ts";
import { ByteReader } from "#media/formats/byte-reader.ts";
import { inspectHeif } from "#media/formats/heif.ts";
import { callFileRoutes } from "../api/files/call-file-routes.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { concatBytes, sample } from "./samples.ts";
import { heifFile } from "./heif-files.ts";
import { createTestContext, inspectBytes, refusalOf, sha256, storedKeys, type TestContext } from "./test-context.ts";

const host = "https://files.example.net";
const MIB = 1024 ** 2;

type Bytes = Uint8Array<ArrayBuffer>;
type Answer = Bytes | Error | "breaks off";

interface ScriptedImages extends Images {
  readonly calls: { readonly output: ImageOutputOptions; readonly bytes: Bytes }[];
}

function streamOf(answer: Bytes | "breaks off"): ReadableStream<Uint8Array> {
  const bytes = answer === "breaks off" ? sample("photo.jpg").slice(0, 200) : answer;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      if (answer === "breaks off") {
        controller.error(new Error("the connection was lost"));
      } else {
        controller.close();
      }
    },
  });
}

/** The images service as it answers in production: locally nothing decodes HEIC. */
function scriptedImages(...answers: readonly Answer[]): ScriptedImages {
  const calls: ScriptedImages["calls"] = [];
  return {
    calls,
    transform: () => Promise.reject(new Error("unexpected call")),
    async convert(image, output) {
      const answer = answers[calls.length] ?? new Error("unexpected call");
      calls.push({ output, bytes: new Uint8Array(await new Response(image).arrayBuffer()) });
      if (answer instanceof Error) {
        throw answer;
      }
      return streamOf(answer);
    },
  };
}

/** The real service, counted. */
function countedImages({ images }: TestContext): Images & { calls: number } {
  if (images === null) {
    throw new Error("the tests run with the images service of the sandbox");
  }
  const counted = {
    ...images,
    calls: 0,
    convert: (...args: Parameters<Images["convert"]>) => {
      counted.calls += 1;
      return images.convert(...args);
    },
  };
  return counted;
}

const withImages = (images: Images | null, ctx = createTestContext()): TestContext => ({ ...ctx, images });

/** The JPEG that the scripted service answers with; no two are the same bytes. */
const photo = (): Bytes => concatBytes(sample("photo.jpg"), crypto.randomUUID());
/** The sample is a photo with a place in its EXIF data. */
const avif = (): Bytes => concatBytes(sample("place.avif"), boxOf(crypto.randomUUID()));

/** A box that readers skip. */
function boxOf(text: string): Bytes {
  const head = new Uint8Array(8);
  new DataView(head.buffer).setUint32(0, text.length + 8);
  head.set(new TextEncoder().encode("free"), 4);
  return concatBytes(head, text);
}

async function importOne(ctx: TestContext, bytes: Bytes, name = "IMG_0001.HEIC") {
  const [item] = await importMedia(ctx, { urls: [ctx.internet.set(`${host}/${name}`, bytes)] });
  await ctx.deferredWork();
  return item;
}

async function storedBytes(hash: string | undefined): Promise<Bytes> {
  return new Uint8Array((await (await env.MEDIA.get(`media/${hash}`))?.arrayBuffer()) ?? []);
}

async function storageOf({ actor }: TestContext) {
  return await env.DB.prepare(
    `SELECT (SELECT count(*) FROM media WHERE workspace_id = ?1) AS items,
       coalesce((SELECT bytes FROM storage_use WHERE workspace_id = ?1), 0) AS bytes,
       (SELECT count(*) FROM media_fits WHERE workspace_id = ?1) AS remembered`,
  )
    .bind(actor.workspaceId)
    .first<{ items: number; bytes: number; remembered: number }>();
}

const LIMIT = Object.assign(new Error("no transformations left"), { code: 9422 });
const UNREADABLE = Object.assign(new Error("cannot decode"), { code: 9520 });
const HUGE = concatBytes(sample("photo.jpg"), new Uint8Array(20_000_001));

const text = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

test("at most 200 images of a user are converted in an hour; a JPEG that is stored already costs none", async ({
  expect,
}) => {
  const jpegs = Array.from({ length: 3 }, photo);
  const ctx = withImages(scriptedImages(...jpegs));
  const first = avif();
  await importOne(ctx, first);
  await env.DB.prepare("UPDATE hourly_use SET used = 199 WHERE user_id = ? AND name = 'conversions'")
    .bind(ctx.actor.userId)
    .run();
  await importOne(ctx, avif());
  expect(await refusalOf(importOne(ctx, avif()))).toMatchObject({
    details: [{ code: "quota_exceeded", limit: 200, actual: 200 }],
  });
  await importOne(ctx, first);
  const later = { ...ctx, clock: { now: () => ctx.clock.now() + HOUR } };
  await importOne(later, avif());
});

describe("an AVIF image", () => {
  test("becomes a JPEG without the place where it was taken", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = avif();
    expect(text(bytes)).toContain("Exif");
    const item = await importOne(ctx, bytes, "At%20the%20sea.avif");
    const jpeg = await storedBytes(item?.sha256);
    expect(item).toMatchObject({
      type: "image",
      contentType: "image/jpeg",
      filename: "At-the-sea.jpg",
      width: 400,
      height: 300,
      sizeBytes: jpeg.length,
      sha256: await sha256(jpeg),
    });
    expect(await inspectBytes(jpeg)).toMatchObject({ ok: true, value: { contentType: "image/jpeg", facts: {} } });
    expect(text(jpeg)).not.toContain("Exif");
    expect(await storedKeys("incoming/")).toEqual([]);
    expect(await storageOf(ctx)).toEqual({ items: 1, bytes: jpeg.length, remembered: 1 });
  });

  test("is one item however often and in which way it arrives, and is converted once", async ({ expect }) => {
    const plain = createTestContext();
    const images = countedImages(plain);
    const ctx = withImages(images, plain);
    const bytes = avif();
    const first = await importOne(ctx, bytes, "a.avif");
    const before = await storageOf(ctx);
    const { d1, count } = countingD1(env.DB);
    expect((await importOne({ ...ctx, db: { ...ctx.db, d1 } }, bytes, "b.avif"))?.id).toBe(first?.id);
    // Those of every import of known bytes, and one look for the JPEG.
    expect(count.roundTrips).toBe(3);
    const ofManyPosts = await importImages(ctx, [ctx.internet.set(`${host}/many.avif`, bytes)]);
    expect([...ofManyPosts.values()]).toMatchObject([{ ok: true, value: { id: first?.id } }]);
    let rest: Bytes | null = bytes;
    const read = () => {
      const chunk = rest;
      rest = null;
      return Promise.resolve(chunk);
    };
    expect((await receiveUnsizedFile(ctx, { filename: "c.avif", read })).id).toBe(first?.id);
    const { upload } = await startUpload(ctx, {
      filename: "d.avif",
      contentType: "image/avif",
      sizeBytes: bytes.length,
    });
    const response = await callFileRoutes(upload.url, { method: "PUT", body: bytes });
    expect(await response.json()).toMatchObject({ media_item: { id: first?.id, sha256: first?.sha256 } });
    expect(images.calls).toBe(1);
    expect(await storageOf(ctx)).toEqual(before);
    expect(await storedKeys("incoming/")).toEqual([]);
    // Another workspace has its own item.
    const other = withImages(ctx.images, createTestContext({ internet: ctx.internet }));
    expect((await importOne(other, bytes))?.id).not.toBe(first?.id);
  });

  test("is uploaded with the signed URL, and only its JPEG counts in the end", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = avif();
    const { upload, file: mediaItem } = await startUpload(ctx, {
      filename: "Photo of us.avif",
      contentType: "image/avif",
      sizeBytes: bytes.length,
    });
    expect(upload).toMatchObject({ headers: { "content-type": "image/avif" }, parts: null });
    expect(mediaItem.url).toMatch(/\/Photo-of-us\.jpg$/);
    expect(await storageOf(ctx)).toMatchObject({ bytes: 20_000_000 });
    const response = await callFileRoutes(upload.url, {
      method: "PUT",
      body: bytes,
      headers: { "content-type": "image/avif" },
    });
    expect(response.status).toBe(200);
    const served = await callFileRoutes(mediaItem.url);
    const jpeg = new Uint8Array(await served.arrayBuffer());
    expect(served.headers.get("content-type")).toBe("image/jpeg");
    expect(await response.json()).toMatchObject({
      media_item: {
        id: mediaItem.id,
        url: mediaItem.url,
        content_type: "image/jpeg",
        size_bytes: jpeg.length,
        sha256: await sha256(jpeg),
      },
    });
    expect(await storageOf(ctx)).toEqual({ items: 1, bytes: jpeg.length, remembered: 1 });
    expect(await storedKeys("incoming/")).toEqual([]);
  });
});

describe("a HEIC image", () => {
  test.for([
    ["by its name", {}],
    ["of a camera", { brand: "heix", compatible: ["mif1", "heix"] }],
    ["by the brands that follow", { brand: "mif1", compatible: ["mif1", "heic"] }],
    [
      "in tiles, with a preview",
      {
        sizes: [
          [512, 512],
          [4032, 3024],
          [320, 240],
        ],
      },
    ],
  ] as const)("%s becomes a JPEG that is white where it was transparent", async ([, file], { expect }) => {
    const jpeg = photo();
    const images = scriptedImages(jpeg);
    const ctx = withImages(images);
    const bytes = heifFile(file);
    const item = await importOne(ctx, bytes);
    expect(item).toMatchObject({ contentType: "image/jpeg", filename: "IMG_0001.jpg", sha256: await sha256(jpeg) });
    expect(images.calls).toEqual([{ output: { format: "image/jpeg", quality: 90, background: "#ffffff" }, bytes }]);
  });

  test("is sent whole, however it arrived, and leaves nothing in staging", async ({ expect }) => {
    const bytes = heifFile({ data: crypto.getRandomValues(new Uint8Array(60_000)) });
    const long = concatBytes(bytes, boxOf("x".repeat(9 * MIB)));
    const images = scriptedImages(concatBytes(photo(), new Uint8Array(9 * MIB)));
    const ctx = withImages(images);
    const url = ctx.internet.set(`${host}/long.heic`, () => new Response(new Blob([long]).stream()));
    const [item] = await importMedia(ctx, { urls: [url] });
    await ctx.deferredWork();
    expect(await sha256(images.calls[0]?.bytes ?? new Uint8Array())).toBe(await sha256(long));
    expect((await env.MEDIA.head(`media/${item?.sha256}`))?.size).toBe(item?.sizeBytes);
    expect(await storedKeys("incoming/")).toEqual([]);
  });

  test("stays the same item when the service makes other bytes of it later", async ({ expect }) => {
    const images = scriptedImages(photo(), photo());
    const ctx = withImages(images);
    const bytes = heifFile();
    const first = await importOne(ctx, bytes);
    expect(await importOne(ctx, bytes)).toEqual(first);
    expect(images.calls).toHaveLength(1);
  });

  test("is converted again once its JPEG was deleted", async ({ expect }) => {
    const images = scriptedImages(photo(), photo());
    const ctx = withImages(images);
    const bytes = heifFile();
    const first = await importOne(ctx, bytes);
    await deleteMedia(ctx, { id: first?.id ?? "" });
    await sweepMedia(ctx);
    const second = await importOne(ctx, bytes);
    expect(second?.sha256).not.toBe(first?.sha256);
    expect(await storageOf(ctx)).toMatchObject({ items: 1, remembered: 1 });
  });

  test("is made smaller in quality when its JPEG is too large", async ({ expect }) => {
    const images = scriptedImages(HUGE, photo());
    await importOne(withImages(images), heifFile());
    expect(images.calls.map(({ output }) => output.quality)).toEqual([90, 80]);
  });

  test("whose JPEG is deleted in the very moment is refused, and can be sent again", async ({ expect }) => {
    const ctx = createTestContext();
    const file = {
      staged: { sizeBytes: 10, inMemory: null, objects: [] },
      sha256: await sha256(photo()),
      inspection: { type: "image", contentType: "image/jpeg", width: 1, height: 1, durationMs: null, facts: {} },
      filename: "gone.jpg",
    } as const;
    expect(await refusalOf(saveMedia(ctx, [file]))).toMatchObject({ message: expect.stringContaining("try again") });
  });
});

describe("an image of which no JPEG can be made is refused, and nothing of it is stored:", () => {
  const REMEDY = /; send JPEG, PNG, WebP or GIF images/;
  test.for<[string, Images | null, Bytes, code: string, RegExp, calls: number]>([
    ["HEIC without the service", null, heifFile(), "media_type_unsupported", /a HEIC image; send JPEG/, 0],
    [
      "AVIF without the service",
      null,
      heifFile({ brand: "avif" }),
      "media_type_unsupported",
      /an AVIF image; send JPEG/,
      0,
    ],
    ["the month is used", scriptedImages(LIMIT), heifFile(), "media_type_unsupported", /of the month; send JPEG/, 1],
    [
      "AVIF over 1,200 pixels that the service does not take",
      scriptedImages(UNREADABLE),
      heifFile({ brand: "mif1", compatible: ["mif1", "avif"], sizes: [[2000, 1500]] }),
      "media_type_unsupported",
      /an AVIF image, and no JPEG could be made/,
      1,
    ],
    ["the answer breaks off", scriptedImages("breaks off"), heifFile(), "media_type_unsupported", REMEDY, 1],
    ["the answer is no JPEG", scriptedImages(sample("photo.png")), heifFile(), "media_type_unsupported", REMEDY, 1],
    [
      "the answer is cut off",
      scriptedImages(sample("photo.jpg").slice(0, 900)),
      heifFile(),
      "media_type_unsupported",
      REMEDY,
      1,
    ],
    ["no quality is small enough", scriptedImages(HUGE, HUGE, HUGE), heifFile(), "media_too_large", /20 MB/, 3],
    [
      "over 20 MB",
      scriptedImages(),
      heifFile({ data: new Uint8Array(20_000_000) }),
      "media_too_large",
      /HEIC.*20 MB/,
      0,
    ],
    [
      "over 100 megapixels",
      scriptedImages(),
      heifFile({ sizes: [[11_000, 10_000]] }),
      "media_dimensions",
      /100 megapixels/,
      0,
    ],
    [
      "over 12,000 pixels",
      scriptedImages(),
      heifFile({ sizes: [[12_001, 10]] }),
      "media_dimensions",
      /12000 pixels/,
      0,
    ],
    ["without a size", scriptedImages(), heifFile({ sizes: [] }), "media_malformed", /size/, 0],
    ["cut off", scriptedImages(), heifFile().slice(0, -100), "media_truncated", /cut off/, 0],
    ["a sequence", scriptedImages(), heifFile({ brand: "hevc" }), "media_type_unsupported", /sequence of HEIC/, 0],
    ["an animation", scriptedImages(), heifFile({ brand: "avis" }), "media_type_unsupported", /animated AVIF/, 0],
  ])("%s", async ([, images, bytes, code, message, calls], { expect }) => {
    const ctx = withImages(images);
    const urls = [ctx.internet.set(`${host}/good.jpg`, photo()), ctx.internet.set(`${host}/x.heic`, bytes)];
    const { details } = await refusalOf(importMedia(ctx, { urls }));
    await ctx.deferredWork();
    expect(details).toMatchObject([{ code, param: "urls[1]", message: expect.stringMatching(message) }]);
    expect(images === null ? 0 : (images as ScriptedImages).calls.length).toBe(calls);
    expect(await storageOf(ctx)).toEqual({ items: 0, bytes: 0, remembered: 0 });
    expect(await storedKeys("incoming/")).toEqual([]);
  });

  test("the local service does not decode HEIC", async ({ expect }) => {
    const ctx = createTestContext();
    const { details } = await refusalOf(importOne(ctx, heifFile()));
    expect(details).toMatchObject([{ code: "media_type_unsupported", actual: "a HEIC image" }]);
    expect(await storageOf(ctx)).toMatchObject({ items: 0 });
  });

  test("an upload, which can be repeated when the service answers again", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = avif();
    const { upload } = await startUpload(ctx, {
      filename: "a.avif",
      contentType: "image/avif",
      sizeBytes: bytes.length,
    });
    const put = (settings: Record<string, unknown>) =>
      callFileRoutes(upload.url, { method: "PUT", body: bytes }, settings);
    const failing = { input: () => ({ output: () => Promise.reject(LIMIT) }) };
    for (const IMAGES of [failing, undefined]) {
      const refused = await put({ IMAGES });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ details: [{ code: "media_type_unsupported" }] });
      expect(await storedKeys("incoming/")).toEqual([]);
    }
    expect((await put({})).status).toBe(200);
  });

  test("an upload that is started without the service, or is too large for it", async ({ expect }) => {
    const file = { filename: "a.heic", contentType: "image/heif", sizeBytes: 1000 };
    expect(await refusalOf(startUpload(withImages(null), file))).toMatchObject({
      details: [{ code: "media_type_unsupported", param: "content_type" }],
    });
    expect(await refusalOf(startUpload(createTestContext(), { ...file, sizeBytes: 20_000_001 }))).toMatchObject({
      details: [{ code: "media_too_large", limit: 20_000_000 }],
    });
  });

  test("an upload of other bytes than it was started for", async ({ expect }) => {
    const ctx = createTestContext();
    const jpeg = photo();
    const { upload } = await startUpload(ctx, {
      filename: "a.heic",
      contentType: "image/heic",
      sizeBytes: jpeg.length,
    });
    const refused = await callFileRoutes(upload.url, { method: "PUT", body: jpeg });
    expect(await refused.json()).toMatchObject({ details: [{ code: "media_type_mismatch", limit: "image/heic" }] });
  });
});

test("the size of a HEIC image is that of the largest picture in it", async ({ expect }) => {
  const bytes = heifFile({
    sizes: [
      [512, 512],
      [20_000, 20_000],
      [8, 8],
    ],
  });
  const reader = new ByteReader(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length));
  expect(await inspectHeif(reader)).toMatchObject({ ok: false, problem: { actual: 400_000_000 } });
});
