import { sha256Hex } from "#core/encoding.ts";
import type { JobMedia } from "#platforms/contract.ts";
import { video } from "../../support/adapter-inputs.ts";

/** A video of this size whose bytes depend on their offset, so that a part in the wrong place changes the hash. */
export async function largeVideo(sizeBytes: number): Promise<JobMedia> {
  const bytes = new Uint8Array(sizeBytes);
  const header = [0, 0, 0, 0x18, 0x66, 0x74, 0x79, 0x70, 0x69, 0x73, 0x6f, 0x6d];
  for (let index = 0; index < sizeBytes; index++) {
    bytes[index] = header[index] ?? (index * 31 + (index >> 8)) % 251;
  }
  const { cover: _, ...described } = video({ sizeBytes });
  return {
    ...described,
    sha256: await sha256Hex(bytes),
    url: "https://media.example.com/clip.mp4",
    filename: "clip.mp4",
    read: (range) =>
      Promise.resolve(new Blob([range ? bytes.subarray(range.offset, range.offset + range.length) : bytes]).stream()),
  };
}
