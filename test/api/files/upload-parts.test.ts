import { describe, test } from "vitest";
import { startUpload } from "#media/index.ts";
import { concatBytes, sample } from "../../media/samples.ts";
import { refusalOf, sha256, storedKeys } from "../../media/test-context.ts";
import { resolveMedia } from "../../support/resolve-media.ts";
import { byNumber, callFileRoutes, createTestContext, padded, readJson, storageUsed } from "./call-file-routes.ts";

/* Whole videos of 91 MiB: one of the long tests (vitest.config.ts). */

const MIB = 1024 ** 2;

/** A video large enough to be sent in parts: a valid video followed by a long `free` box. */
function longVideo(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const video = sample("moov-first.mp4");
  const complete = new Uint8Array(sizeBytes);
  complete.set(video);
  const box = new DataView(complete.buffer, video.length);
  box.setUint32(0, sizeBytes - video.length);
  complete.set(new TextEncoder().encode("free"), video.length + 4);
  crypto.getRandomValues(complete.subarray(video.length + 8, video.length + 1008));
  return complete;
}

describe("parts", { timeout: 60_000 }, () => {
  const video = longVideo(91 * MIB);

  test("are accepted in any order and completed once", async ({ expect }) => {
    const ctx = createTestContext();
    const { upload, file: mediaItem } = await startUpload(ctx, {
      filename: "video.mp4",
      contentType: "video/mp4",
      sizeBytes: video.length,
    });
    const [one, two, ...more] = upload.parts ?? [];
    expect(more).toEqual([]);
    expect([one?.sizeBytes, two?.sizeBytes]).toEqual([64 * MIB, 27 * MIB]);
    const completeUrl = upload.completeUrl ?? "";
    const early = await readJson(await callFileRoutes(completeUrl, { method: "POST" }));
    expect(early).toMatchObject({
      code: "invalid_state",
      details: [{ code: "part_missing", actual: 1 }, { actual: 2 }],
    });

    const second = await callFileRoutes(two?.url ?? "", { method: "PUT", body: video.subarray(64 * MIB) });
    expect(await readJson(second)).toMatchObject({ received_parts: [2], missing_parts: [1] });
    const again = await callFileRoutes(two?.url ?? "", { method: "PUT", body: video.subarray(64 * MIB) });
    expect([again.status, (await readJson(again)).code]).toEqual([400, "invalid_state"]);
    expect((await readJson(await callFileRoutes(completeUrl))).upload).toMatchObject({
      state: "open",
      received_parts: [2],
      missing_parts: [1],
    });
    expect(await refusalOf(resolveMedia(ctx, { mediaUrls: [mediaItem.url] }))).toMatchObject({
      details: [{ code: "media_not_ready" }],
    });

    await callFileRoutes(one?.url ?? "", { method: "PUT", body: video.subarray(0, 64 * MIB) });
    const completions = await Promise.all([
      callFileRoutes(completeUrl, { method: "POST" }),
      callFileRoutes(completeUrl, { method: "POST" }),
    ]);
    expect(completions.map(({ status }) => status).toSorted(byNumber)).toEqual([200, 400]);
    const complete = await readJson(completions.find(({ status }) => status === 200) ?? new Response());
    expect(complete.media_item).toMatchObject({
      id: mediaItem.id,
      type: "video",
      sha256: await sha256(video),
      size_bytes: video.length,
    });
    expect((await readJson(await callFileRoutes(completeUrl))).upload).toMatchObject({
      state: "complete",
      missing_parts: [],
    });
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
    expect(await storageUsed(ctx)).toBe(video.length);
  });

  test("parts that are not a valid video end the upload and release its storage", async ({ expect }) => {
    const ctx = createTestContext();
    const { upload, file: mediaItem } = await startUpload(ctx, {
      filename: "video.mp4",
      contentType: "video/mp4",
      sizeBytes: video.length,
    });
    const [one, two] = upload.parts ?? [];
    const broken = video.slice(0, 64 * MIB);
    new DataView(broken.buffer).setUint32(sample("moov-first.mp4").length, 0x7fffffff);
    await callFileRoutes(one?.url ?? "", { method: "PUT", body: broken });
    await callFileRoutes(two?.url ?? "", { method: "PUT", body: video.subarray(64 * MIB) });
    const end = await callFileRoutes(upload.completeUrl ?? "", { method: "POST" });
    expect([end.status, (await readJson(end)).details?.[0]?.code]).toEqual([400, "media_truncated"]);
    expect(await storageUsed(ctx)).toBe(0);
    expect(await storedKeys(`incoming/${mediaItem.id}`)).toEqual([]);
    expect((await callFileRoutes(upload.completeUrl ?? "", { method: "POST" })).status).toBe(404);
  });

  test("a first part that is not a video is refused immediately", async ({ expect }) => {
    const ctx = createTestContext();
    const { upload } = await startUpload(ctx, {
      filename: "video.mp4",
      contentType: "video/mp4",
      sizeBytes: video.length,
    });
    const page = padded(concatBytes("<!doctype html><script>"), 64 * MIB);
    const response = await callFileRoutes(upload.parts?.[0]?.url ?? "", { method: "PUT", body: page });
    expect((await readJson(response)).details?.[0]?.code).toBe("media_type_unsupported");
  });
});
