import { type ByteReader, bytesOf, MediaFormatError } from "./byte-reader.ts";
import { inspectGif } from "./gif.ts";
import { inspectIsobmff } from "./isobmff.ts";
import { inspectJpeg } from "./jpeg.ts";
import { inspectPng } from "./png.ts";
import { endsAsZipArchive, sniff, ZIP_TAIL_BYTES } from "./sniff.ts";
import { inspectWebm } from "./webm.ts";
import { inspectWebp } from "./webp.ts";
import { MAX_IMAGE_MEGAPIXELS } from "#media/limits.ts";
import { checkFailed, type CheckResult, type ContentType, type Inspection } from "#media/types.ts";

const SNIFF_BYTES = 4096;

function inspectAs(contentType: ContentType, reader: ByteReader): Promise<Inspection> {
  switch (contentType) {
    case "image/jpeg":
      return inspectJpeg(reader);
    case "image/png":
      return inspectPng(reader);
    case "image/webp":
      return inspectWebp(reader);
    case "image/gif":
      return inspectGif(reader);
    case "video/webm":
      return inspectWebm(reader);
    case "video/mp4":
    case "video/quicktime":
      return inspectIsobmff(reader, contentType);
    case "application/pdf":
      return import("./pdf.ts").then(({ inspectPdf }) => inspectPdf(reader));
  }
}

function isValidDimension(pixels: number | null): boolean {
  return pixels === null || (Number.isInteger(pixels) && pixels > 0 && pixels <= 0x7fffffff);
}

/**
 * Determines a file's type and facts from its bytes, without decoding it. A damaged file is a failed check; only a
 * storage error throws.
 */
export async function inspectFile(reader: ByteReader): Promise<CheckResult<Inspection>> {
  if (reader.size === 0) {
    return checkFailed("media_empty", "the file is empty");
  }
  return checkFormat(async () => {
    const sniffed = sniff(bytesOf(await reader.view(0, Math.min(SNIFF_BYTES, reader.size))));
    if (!sniffed.ok) {
      return sniffed;
    }
    const inspection = await inspectAs(sniffed.value, reader);
    if (!isValidDimension(inspection.width) || !isValidDimension(inspection.height)) {
      return checkFailed("media_malformed", "the file is damaged: its width or height is not possible");
    }
    const pixels = (inspection.width ?? 0) * (inspection.height ?? 0);
    // mutant: no-pixel-limit
    if (inspection.type === "image" && pixels > MAX_IMAGE_MEGAPIXELS * 1e6) {
      return checkFailed(
        "media_dimensions",
        `the image has ${inspection.width} × ${inspection.height} pixels; scale it to at most ${MAX_IMAGE_MEGAPIXELS} megapixels`,
        { limit: MAX_IMAGE_MEGAPIXELS * 1e6, actual: pixels },
      );
    }
    const tailBytes = Math.min(ZIP_TAIL_BYTES, reader.size);
    if (endsAsZipArchive(bytesOf(await reader.view(reader.size - tailBytes, tailBytes)))) {
      return checkFailed(
        "media_suspicious",
        "the file is both media and a ZIP archive; export it again from the original",
      );
    }
    return { ok: true, value: inspection };
  });
}

/** Runs the reader of a format. A damaged file becomes a failed check. */
export async function checkFormat<T>(read: () => Promise<CheckResult<T>>): Promise<CheckResult<T>> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof MediaFormatError) {
      return checkFailed(error.code, error.message);
    }
    // A RangeError means a damaged file: an offset in it pointed outside the bytes that were read.
    if (error instanceof RangeError) {
      return checkFailed("media_malformed", "the file is damaged: an offset in it points outside of the file");
    }
    throw error;
  }
}
