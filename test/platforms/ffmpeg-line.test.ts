import { describe, test } from "vitest";
import type { MediaDescription, MediaRule } from "#platforms/contract.ts";
import { ffmpegLine } from "#platforms/ffmpeg-line.ts";
import { mediaProblems } from "#platforms/media-rules.ts";
import { image, video } from "../support/adapter-inputs.ts";

const RULE: MediaRule = { contentTypes: ["video/mp4"], maxBytes: 10_000_000 };
const ENCODE = "-c:v libx264 -pix_fmt yuv420p";
const END = "-c:a aac -movflags +faststart output.mp4";
const pad = (size: string) =>
  `-vf "scale=${size}:force_original_aspect_ratio=decrease,pad=${size}:(ow-iw)/2:(oh-ih)/2"`;
const gif = (overrides: Partial<MediaDescription> = {}) =>
  image({ contentType: "image/gif", facts: { animated: true, frames: 400 }, ...overrides });

describe("the command that makes a file fit", () => {
  test.for<[what: string, media: MediaDescription, rule: Partial<MediaRule>, line: string | null]>([
    ["another type", video({ contentType: "video/webm" }), {}, `ffmpeg -i input.mp4 ${ENCODE} ${END}`],
    ["too long", video({ durationSeconds: 90 }), { maxSeconds: 60 }, `ffmpeg -i input.mp4 -t 60 ${ENCODE} ${END}`],
    ["too short", video({ durationSeconds: 1 }), { minSeconds: 3 }, null],
    [
      "too wide",
      video({ width: 3840, height: 2160 }),
      { maxLongSide: 1920 },
      `ffmpeg -i input.mp4 ${pad("1920:1080")} ${ENCODE} ${END}`,
    ],
    [
      "too flat",
      video({ width: 2000, height: 500 }),
      { maxRatio: 1.91, maxWidth: 1920 },
      `ffmpeg -i input.mp4 ${pad("1920:1004")} ${ENCODE} ${END}`,
    ],
    [
      "too tall and too small",
      video({ width: 100, height: 400 }),
      { minRatio: 0.5, minWidth: 320 },
      `ffmpeg -i input.mp4 ${pad("320:640")} ${ENCODE} ${END}`,
    ],
    [
      "too fast",
      video({ facts: { frameRate: 120 } }),
      { maxFrameRate: 60 },
      `ffmpeg -i input.mp4 -vf "fps=60" ${ENCODE} ${END}`,
    ],
    [
      "too large",
      video({ sizeBytes: 50_000_000, durationSeconds: 60 }),
      {},
      `ffmpeg -i input.mp4 ${ENCODE} -b:v 1072k -b:a 128k ${END}`,
    ],
    ["an animation where there are only videos", gif(), {}, `ffmpeg -i input.gif ${ENCODE} ${END}`],
    [
      "an animation with odd sides",
      gif({ width: 255, height: 201 }),
      {},
      `ffmpeg -i input.gif ${pad("254:200")} ${ENCODE} ${END}`,
    ],
    [
      "an animation with too many frames",
      gif({ width: 2560, height: 2048 }),
      { contentTypes: ["image/gif"], maxFrames: 350, maxWidth: 1280 },
      `ffmpeg -i input.gif -frames:v 350 ${pad("1280:1024")} output.gif`,
    ],
  ])("%s", ([, media, rule, line], { expect }) => {
    expect(ffmpegLine(media, { ...RULE, ...rule })).toBe(line);
  });
});

test("one problem of a refused video has it, and no problem of an image", ({ expect }) => {
  const rule = { ...RULE, maxSeconds: 60, maxWidth: 100 };
  const commands = mediaProblems(video({ durationSeconds: 90 }), 0, rule).map(({ command }) => command !== undefined);
  expect(commands).toEqual([true, false]);
  expect(mediaProblems(image(), 0, RULE).every(({ command }) => command === undefined)).toBe(true);
  expect(mediaProblems(video(), 0, RULE)).toEqual([]);
});
