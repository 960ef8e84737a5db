import { type ByteReader, bytesOf, Malformed } from "./formats/byte-reader.ts";
import { inspectGif } from "./formats/gif.ts";
import { inspectBoxes } from "./formats/isobmff.ts";
import { inspectJpeg } from "./formats/jpeg.ts";
import { inspectPng } from "./formats/png.ts";
import { endsAsArchive, sniff, TAIL_BYTES } from "./formats/sniff.ts";
import { inspectWebm } from "./formats/webm.ts";
import { inspectWebp } from "./formats/webp.ts";
import { bad, type Checked, type ContentType, type Inspection } from "./types.ts";

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
      return inspectBoxes(reader, contentType);
  }
}

function isSize(pixels: number | null): boolean {
  return pixels === null || (Number.isInteger(pixels) && pixels > 0 && pixels <= 0x7fffffff);
}

/**
 * What a file is, by its bytes alone; nothing is ever decoded. Every damaged file is a verdict; only a store that fails
 * throws.
 */
export async function inspect(reader: ByteReader): Promise<Checked<Inspection>> {
  if (reader.size === 0) {
    return bad("media_empty", "the file is empty");
  }
  try {
    const sniffed = sniff(bytesOf(await reader.view(0, Math.min(SNIFF_BYTES, reader.size))));
    if (!sniffed.ok) {
      return sniffed;
    }
    const inspection = await inspectAs(sniffed.value, reader);
    if (!isSize(inspection.width) || !isSize(inspection.height)) {
      return bad("media_malformed", "the file is damaged: it says an impossible size");
    }
    const tailBytes = Math.min(TAIL_BYTES, reader.size);
    if (endsAsArchive(bytesOf(await reader.view(reader.size - tailBytes, tailBytes)))) {
      return bad(
        "media_suspicious",
        "the file is a picture or video and a ZIP archive at once; export it again from the original",
      );
    }
    return { ok: true, value: inspection };
  } catch (error) {
    if (error instanceof Malformed) {
      return bad(error.code, error.message);
    }
    // A number in the file pointed outside of what was read: the bytes' fault, not ours.
    if (error instanceof RangeError) {
      return bad("media_malformed", "the file is damaged: a number in it points nowhere");
    }
    throw error;
  }
}
