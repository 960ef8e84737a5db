import { IMAGES_INPUT } from "#media/limits.ts";
import { checkFailed, type CheckResult, type ConvertedType } from "#media/types.ts";
import { type ByteReader, bytesOf, malformed, truncated } from "./byte-reader.ts";
import { checkFormat } from "./inspect-file.ts";
import { type Box, boxes } from "./isobmff-boxes.ts";
import { heifType } from "./sniff.ts";

const HEAD_BYTES = 144;
/** The size of the version and flags with which some boxes begin. */
const FULL_BOX_BYTES = 4;

/**
 * The size of the largest image in a HEIF file. Large images are stored as tiles, and a file may also contain a small
 * preview.
 */
async function largestSize(reader: ByteReader, properties: Box): Promise<{ width: number; height: number } | null> {
  let largest: { width: number; height: number } | null = null;
  for await (const container of boxes(reader, properties.start, properties.end)) {
    if (container.name !== "ipco") {
      continue;
    }
    for await (const property of boxes(reader, container.start, container.end)) {
      if (property.name === "ispe") {
        const view = await reader.view(property.start + FULL_BOX_BYTES, 8);
        const size = { width: view.getUint32(0), height: view.getUint32(4) };
        largest = largest && largest.width * largest.height >= size.width * size.height ? largest : size;
      }
    }
  }
  return largest;
}

/** Checks a HEIC or AVIF image without decoding it. It must be complete, and small enough for the images service. */
export async function inspectHeif(reader: ByteReader): Promise<CheckResult<ConvertedType>> {
  return checkFormat<ConvertedType>(async () => {
    const type = heifType(bytesOf(await reader.view(0, Math.min(HEAD_BYTES, reader.size))));
    let size: { width: number; height: number } | null = null;
    let hasIndex = false;
    for await (const box of boxes(reader, 0, reader.size)) {
      if (box.name === "meta") {
        hasIndex = true;
        for await (const part of boxes(reader, box.start + FULL_BOX_BYTES, box.end)) {
          size = part.name === "iprp" ? await largestSize(reader, part) : size;
        }
      }
    }
    if (type === null || !hasIndex) {
      truncated("the image has no index (meta); its copy is incomplete");
    }
    const { width, height } = size ?? { width: 0, height: 0 };
    if (width === 0 || height === 0) {
      malformed("the image does not state its size");
    }
    const { maxPixels, maxSide } = IMAGES_INPUT;
    return width * height > maxPixels || Math.max(width, height) > maxSide
      ? checkFailed(
          "media_dimensions",
          `the image has ${width} × ${height} pixels; scale it to at most ${maxPixels / 1e6} megapixels and ${maxSide} pixels a side`,
          { limit: maxPixels, actual: width * height },
        )
      : { ok: true, value: type };
  });
}
