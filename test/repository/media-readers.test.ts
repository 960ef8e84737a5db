import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, asyncProperty, array, constantFrom } from "fast-check";
import { imageSize } from "image-size";
import { BlobSource, ALL_FORMATS, Input } from "mediabunny";
import { describe, test } from "vitest";
import type { Inspection } from "#media/types.ts";
import { ByteReader } from "#media/formats/byte-reader.ts";
import { inspectFile } from "#media/formats/inspect-file.ts";
import { mutations } from "../media/mutations.ts";

/*
 * Readers that the project did not write look at the sample files and at damaged ones: where they and the inspection both
 * understand a file, they must agree. What only one of them reads is no disagreement, because each is strict about other
 * things. Here and not with the other media tests, because mediabunny does not load in the Workers runtime of the tests.
 */

const SAMPLES = join(import.meta.dirname, "../media/samples");
const sample = (name: string): Uint8Array<ArrayBuffer> => Uint8Array.from(readFileSync(join(SAMPLES, `${name}.bin`)));

const IMAGES: readonly [string, ...string[]] = [
  "alpha.webp",
  "animated.gif",
  "animated.png",
  "animated.webp",
  "lossless.webp",
  "lossy.webp",
  "photo.jpg",
  "photo.png",
  "still.gif",
];
const VIDEOS: readonly [string, ...string[]] = [
  "fragmented.mp4",
  "hevc.mp4",
  "moov-first.mp4",
  "moov-last.mp4",
  "plain.mov",
  "rotated.mp4",
  "vp9.webm",
];

/** Always the same damaged files, because the other readers can loop for ever on some. */
const SEED = 10;

type Size = readonly [width: number, height: number];

/** As displayed: the EXIF orientations from 5 on swap the sides. */
function readImage(bytes: Uint8Array): Size | null {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    return orientation > 4 ? [height, width] : [width, height];
  } catch {
    return null;
  }
}

interface VideoReading {
  readonly size: Size;
  readonly durationSeconds: number;
  readonly codec: string | null;
}

async function readVideo(bytes: Uint8Array<ArrayBuffer>): Promise<VideoReading | null> {
  const input = new Input({ source: new BlobSource(new Blob([bytes])), formats: ALL_FORMATS });
  try {
    const track = await input.getPrimaryVideoTrack();
    return (
      track && {
        size: [track.displayWidth, track.displayHeight],
        durationSeconds: await input.computeDuration(),
        codec: track.codec,
      }
    );
  } catch {
    return null;
  } finally {
    input.dispose();
  }
}

async function inspect(bytes: Uint8Array<ArrayBuffer>): Promise<Inspection | null> {
  const read = (offset: number, length: number) => Promise.resolve(bytes.subarray(offset, offset + length));
  const result = await inspectFile(new ByteReader(bytes.length, read));
  return result.ok ? result.value : null;
}

const sizeOf = ({ width, height }: Inspection) => [width, height];
const CODECS: Readonly<Record<string, string>> = { avc: "h264" };

describe("image-size reads the same dimensions", () => {
  test.for(IMAGES)("of %s", async (name, { expect }) => {
    const inspection = await inspect(sample(name));
    expect(readImage(sample(name))).toEqual(inspection && sizeOf(inspection));
  });

  test("of damaged images", { timeout: 60_000 }, async ({ expect }) => {
    let compared = 0;
    await assert(
      asyncProperty(
        constantFrom(...IMAGES),
        array(mutations([sample("photo.jpg")]), { minLength: 1, maxLength: 2 }),
        async (name, damages) => {
          const bytes = damages.reduce((damaged, mutate) => mutate(damaged), sample(name).slice());
          const [inspection, reading] = [await inspect(bytes), readImage(bytes)];
          if (inspection?.type === "image" && reading) {
            compared += 1;
            expect(sizeOf(inspection)).toEqual(reading);
          }
        },
      ),
      { numRuns: 3000, seed: SEED },
    );
    expect(compared).toBeGreaterThan(200);
  });
});

describe("mediabunny reads the same video", () => {
  test.for(VIDEOS)("in %s", async (name, { expect }) => {
    const [inspection, reading] = [await inspect(sample(name)), await readVideo(sample(name))];
    expect(inspection && sizeOf(inspection)).toEqual(reading?.size);
    expect(inspection?.facts["videoCodec"]).toBe(CODECS[reading?.codec ?? ""] ?? reading?.codec);
    // The header of a fragmented file states no duration, and the inspection does not add up its fragments.
    const durationMs = inspection?.durationMs ?? null;
    const isStated = name !== "fragmented.mp4";
    expect(durationMs !== null).toBe(isStated);
    expect(Math.abs((durationMs ?? 0) - (reading?.durationSeconds ?? -9) * 1000) < 150).toBe(isStated);
  });

  test("when its matrix is not exactly a quarter turn", async ({ expect }) => {
    const bytes = sample("moov-first.mp4");
    const header = Buffer.from(bytes.buffer).indexOf("tkhd");
    new DataView(bytes.buffer).setInt32(header + 4 + 44, 1);
    const reading = await readVideo(bytes);
    expect(reading?.size).toEqual((await readVideo(sample("moov-first.mp4")))?.size);
    expect(await inspect(bytes).then((inspection) => inspection && sizeOf(inspection))).toEqual(reading?.size);
  });

  test("in damaged files", { timeout: 60_000 }, async ({ expect }) => {
    let compared = 0;
    await assert(
      asyncProperty(
        constantFrom(...VIDEOS),
        array(mutations([sample("photo.jpg")]), { minLength: 1, maxLength: 2 }),
        async (name, damages) => {
          const bytes = damages.reduce((damaged, mutate) => mutate(damaged), sample(name).slice());
          const [inspection, reading] = [await inspect(bytes), await readVideo(bytes)];
          if (inspection?.type === "video" && reading) {
            compared += 1;
            // A damaged matrix can be halfway between two quarter turns; the sides are the same then, too.
            expect([reading.size, reading.size.toReversed()]).toContainEqual(sizeOf(inspection));
          }
        },
      ),
      { numRuns: 1500, seed: SEED },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
