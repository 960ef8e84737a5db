import { describe, test } from "vitest";
import type { DetailCode } from "#core/codes.ts";
import type { Inspection } from "#media/types.ts";
import { inspectBytes } from "./test-context.ts";
import { concatBytes, sample, type SampleName } from "./samples.ts";

describe("real files are inspected", () => {
  test.for<[SampleName, Omit<Inspection, "facts"> & { facts: Record<string, unknown> }]>([
    [
      "photo.jpg",
      {
        type: "image",
        contentType: "image/jpeg",
        width: 120,
        height: 80,
        durationMs: null,
        facts: { animated: false },
      },
    ],
    [
      "photo.png",
      { type: "image", contentType: "image/png", width: 120, height: 80, durationMs: null, facts: { animated: false } },
    ],
    [
      "animated.png",
      {
        type: "image",
        contentType: "image/png",
        width: 64,
        height: 48,
        durationMs: null,
        facts: { animated: true, frames: 5 },
      },
    ],
    [
      "lossy.webp",
      {
        type: "image",
        contentType: "image/webp",
        width: 120,
        height: 80,
        durationMs: null,
        facts: { animated: false },
      },
    ],
    [
      "lossless.webp",
      {
        type: "image",
        contentType: "image/webp",
        width: 120,
        height: 80,
        durationMs: null,
        facts: { animated: false },
      },
    ],
    ["alpha.webp", { type: "image", contentType: "image/webp", width: 96, height: 54, durationMs: null, facts: {} }],
    [
      "animated.webp",
      { type: "image", contentType: "image/webp", width: 64, height: 48, durationMs: null, facts: { animated: true } },
    ],
    [
      "still.gif",
      {
        type: "image",
        contentType: "image/gif",
        width: 64,
        height: 48,
        durationMs: null,
        facts: { animated: false, frames: 1 },
      },
    ],
    [
      "animated.gif",
      {
        type: "image",
        contentType: "image/gif",
        width: 64,
        height: 48,
        durationMs: 500,
        facts: { animated: true, frames: 5 },
      },
    ],
    [
      "moov-first.mp4",
      {
        type: "video",
        contentType: "video/mp4",
        width: 192,
        height: 108,
        durationMs: 1000,
        facts: {
          videoCodec: "h264",
          audioCodec: "aac",
          frameRate: 30,
          moovFirst: true,
          rotation: 0,
          audioSampleRate: 44_100,
        },
      },
    ],
    [
      "moov-last.mp4",
      {
        type: "video",
        contentType: "video/mp4",
        width: 192,
        height: 108,
        durationMs: 1000,
        facts: { videoCodec: "h264", audioCodec: "aac", moovFirst: false },
      },
    ],
    [
      "rotated.mp4",
      { type: "video", contentType: "video/mp4", width: 108, height: 192, durationMs: 1000, facts: { rotation: 270 } },
    ],
    [
      "fragmented.mp4",
      {
        type: "video",
        contentType: "video/mp4",
        width: 192,
        height: 108,
        durationMs: null,
        facts: { videoCodec: "h264", audioCodec: "aac", fragmented: true },
      },
    ],
    [
      "hevc.mp4",
      {
        type: "video",
        contentType: "video/mp4",
        width: 192,
        height: 108,
        durationMs: 1000,
        facts: { videoCodec: "hevc", audioCodec: null, frameRate: 25 },
      },
    ],
    [
      "prores.mov",
      {
        type: "video",
        contentType: "video/quicktime",
        width: 128,
        height: 72,
        durationMs: 1001,
        facts: { videoCodec: "prores", frameRate: 23.976 },
      },
    ],
    [
      "plain.mov",
      {
        type: "video",
        contentType: "video/quicktime",
        width: 192,
        height: 108,
        durationMs: 1000,
        facts: { videoCodec: "h264", audioCodec: "aac" },
      },
    ],
    [
      "vp9.webm",
      {
        type: "video",
        contentType: "video/webm",
        width: 192,
        height: 108,
        durationMs: 1008,
        facts: { videoCodec: "vp9", audioCodec: "opus" },
      },
    ],
    [
      "vp8-live.webm",
      {
        type: "video",
        contentType: "video/webm",
        width: 192,
        height: 108,
        durationMs: null,
        facts: { videoCodec: "vp8", audioCodec: "vorbis" },
      },
    ],
  ])("%s", async ([name, expected], { expect }) => {
    const result = await inspectBytes(sample(name));
    expect(result).toMatchObject({ ok: true, value: expected });
  });

  test("a rotated photo has the dimensions in which it is displayed", async ({ expect }) => {
    const result = await inspectBytes(withOrientation(sample("photo.jpg"), 6));
    expect(result).toMatchObject({ ok: true, value: { width: 80, height: 120, facts: { orientation: 6 } } });
  });

  test("a photo with other media appended is still a photo", async ({ expect }) => {
    const result = await inspectBytes(concatBytes(sample("photo.jpg"), sample("moov-first.mp4")));
    expect(result).toMatchObject({ ok: true, value: { contentType: "image/jpeg" } });
  });
});

describe("a file that is not supported media is refused, naming its type", () => {
  test.for<[string, Uint8Array<ArrayBuffer>, RegExp]>([
    ["an HTML page", concatBytes("<!doctype html><title>Hello</title>"), /web page/],
    ["an HTML page after a byte order mark", concatBytes(Uint8Array.of(0xef, 0xbb, 0xbf), "\n <HTML>"), /web page/],
    ["an SVG", concatBytes('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), /SVG/],
    ["plain text", concatBytes("just some words"), /text/],
    ["JSON", concatBytes('{"error":"not found"}'), /text/],
    ["a ZIP", concatBytes("PK\u0003\u0004rest of it"), /ZIP/],
    ["a program", concatBytes("MZ\u0090\u0000\u0003"), /program/],
    ["zeros", new Uint8Array(5000), /unknown type/],
    ["a Matroska video", sample("video.mkv"), /Matroska/],
    ["audio alone", sample("audio.mp4"), /no video track/],
    ["an M4A", sample("audio.m4a"), /audio/],
  ])("%s", async ([, bytes, pattern], { expect }) => {
    const result = await inspectBytes(bytes);
    expect(result).toMatchObject({ ok: false, problem: { code: "media_type_unsupported" } });
    expect(result.ok ? "" : result.problem.message).toMatch(pattern);
  });

  test("the error for a HEIC photo names the supported types", async ({ expect }) => {
    const result = await inspectBytes(concatBytes(Uint8Array.of(0, 0, 0, 24), "ftypheic", new Uint8Array(40)));
    expect(result).toMatchObject({ ok: false, problem: { message: expect.stringMatching(/HEIC.*JPEG/) } });
  });

  test("a picture without a width is damaged", async ({ expect }) => {
    const bytes = sample("photo.png").slice();
    bytes.fill(0, 16, 20);
    expect(await inspectBytes(bytes)).toMatchObject({ ok: false, problem: { code: "media_malformed" } });
  });

  /** The offset of the height in the frame header of a baseline or progressive JPEG. */
  function jpegHeightOffset(bytes: Uint8Array): number {
    const isFrame = (at: number) => bytes[at] === 0xff && (bytes[at + 1] === 0xc0 || bytes[at + 1] === 0xc2);
    return bytes.findIndex((_, at) => isFrame(at)) + 5;
  }

  test.for<[SampleName, (bytes: Uint8Array) => readonly [number, number]]>([
    ["photo.png", () => [16, 24]],
    ["still.gif", () => [6, 10]],
    ["animated.webp", () => [24, 30]],
    ["photo.jpg", (bytes) => [jpegHeightOffset(bytes), jpegHeightOffset(bytes) + 4]],
  ])("%s with four thousand megapixels is refused, naming the limit", async ([name, size], { expect }) => {
    const bytes = sample(name).slice();
    const [from, to] = size(bytes);
    // 0xffff pixels a side, or 0xffffff in a WebP.
    for (let at = from; at < to; at += 1) {
      bytes[at] = name === "photo.png" && (at - from) % 4 < 2 ? 0 : 0xff;
    }
    expect(await inspectBytes(bytes)).toMatchObject({
      ok: false,
      problem: {
        code: "media_dimensions",
        message: expect.stringMatching(/^the image has \d+ × \d+ pixels; scale it to at most 200 megapixels$/),
        limit: 200_000_000,
        actual: expect.any(Number),
      },
    });
  });

  test("an empty file is refused", async ({ expect }) => {
    expect(await inspectBytes(new Uint8Array(0))).toMatchObject({ ok: false, problem: { code: "media_empty" } });
  });
});

describe("a file that is valid in two formats is refused", () => {
  test.for<[string, Uint8Array<ArrayBuffer>, DetailCode]>([
    [
      "a GIF that is a script",
      concatBytes("GIF89a/*<script>alert(1)</script>*/=1;", new Uint8Array(200)),
      "media_suspicious",
    ],
    ["a JPEG with a page in its comment", withComment("<html><body onload=alert(1)>"), "media_suspicious"],
    ["a JPEG with PHP in its comment", withComment("<?php system($_GET[0]); ?>"), "media_suspicious"],
    ["a JPEG that is a PDF", withComment("%PDF-1.4 1 0 obj"), "media_suspicious"],
    [
      "a photo with a ZIP archive inside and after it",
      concatBytes(sample("photo.png").subarray(0, -12), emptyZip(), sample("photo.png").subarray(-12), emptyZip()),
      "media_truncated",
    ],
    ["a JPEG with a ZIP archive after it", concatBytes(sample("photo.jpg"), emptyZip()), "media_suspicious"],
    [
      "a video with a ZIP archive after it",
      concatBytes(sample("moov-first.mp4"), freeBox(emptyZip())),
      "media_suspicious",
    ],
  ])("%s", async ([, bytes, code], { expect }) => {
    const result = await inspectBytes(bytes);
    expect(result).toMatchObject({ ok: false, problem: { code } });
  });
});

describe("a truncated file is refused", () => {
  test.for<SampleName>([
    "photo.jpg",
    "photo.png",
    "animated.png",
    "lossy.webp",
    "lossless.webp",
    "animated.webp",
    "still.gif",
    "animated.gif",
    "moov-first.mp4",
    "moov-last.mp4",
    "plain.mov",
    "vp9.webm",
  ])("%s cut at every tenth of its length", async (name, { expect }) => {
    const whole = sample(name);
    for (let tenth = 1; tenth < 10; tenth += 1) {
      const result = await inspectBytes(whole.slice(0, Math.floor((whole.length * tenth) / 10)));
      expect(result, `${tenth}/10`).toMatchObject({ ok: false });
    }
    const result = await inspectBytes(whole.slice(0, -1));
    expect(result, "without its last byte").toMatchObject({ ok: false, problem: { code: "media_truncated" } });
  });
});

/** A JPEG with a segment inserted right after its start marker. */
function withSegment(marker: number, payload: Uint8Array | string): Uint8Array<ArrayBuffer> {
  const photo = sample("photo.jpg");
  const body = concatBytes(payload);
  const length = body.length + 2;
  return concatBytes(
    photo.subarray(0, 2),
    Uint8Array.of(0xff, marker, length >> 8, length & 0xff),
    body,
    photo.subarray(2),
  );
}

function withComment(text: string): Uint8Array<ArrayBuffer> {
  return withSegment(0xfe, text);
}

function withOrientation(_photo: Uint8Array, orientation: number): Uint8Array<ArrayBuffer> {
  const tiff = Uint8Array.of(
    0x4d,
    0x4d,
    0,
    42,
    0,
    0,
    0,
    8,
    0,
    1,
    1,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
  );
  return withSegment(0xe1, concatBytes("Exif\0\0", tiff));
}

function emptyZip(): Uint8Array<ArrayBuffer> {
  return concatBytes(Uint8Array.of(0x50, 0x4b, 5, 6), new Uint8Array(18));
}

function freeBox(payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const size = payload.length + 8;
  return concatBytes(Uint8Array.of(0, 0, size >> 8, size & 0xff), "free", payload);
}
