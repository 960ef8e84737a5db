import type { Inspection } from "#media/types.ts";
import { asciiAt, type ByteReader, malformed, truncated } from "./byte-reader.ts";
import { asDisplayed, exifOrientation } from "./exif.ts";

const MAX_EXIF_BYTES = 64 * 1024;
const MAX_CHUNKS = 32;
const HAS_EXIF = 0x08;
const IS_ANIMATED = 0x02;

function uint24(view: DataView, offset: number): number {
  return view.getUint16(offset, true) + view.getUint8(offset + 2) * 65_536;
}

async function lossySize(reader: ByteReader, offset: number) {
  const frame = await reader.view(offset, 10);
  if ((frame.getUint8(0) & 1) !== 0 || asciiAt(frame, 3, 3) !== "\x9d\x01\x2a") {
    malformed("the WebP image does not begin with a key frame");
  }
  return { width: frame.getUint16(6, true) & 0x3fff, height: frame.getUint16(8, true) & 0x3fff };
}

async function losslessSize(reader: ByteReader, offset: number) {
  const frame = await reader.view(offset, 5);
  if (frame.getUint8(0) !== 0x2f) {
    malformed("the lossless WebP image has no signature");
  }
  const bits = frame.getUint32(1, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Reads the orientation from the EXIF chunk of a WebP, which follows the image data. */
async function findOrientation(reader: ByteReader, from: number): Promise<number | undefined> {
  let offset = from;
  for (let chunk = 0; chunk < MAX_CHUNKS && offset + 8 <= reader.size; chunk += 1) {
    const head = await reader.view(offset, 8);
    const length = head.getUint32(4, true);
    if (asciiAt(head, 0, 4) === "EXIF" && length <= MAX_EXIF_BYTES) {
      return exifOrientation(await reader.view(offset + 8, length));
    }
    offset += 8 + length + (length % 2);
  }
  return undefined;
}

export async function inspectWebp(reader: ByteReader): Promise<Inspection> {
  const head = await reader.view(0, 20);
  const end = head.getUint32(4, true) + 8;
  if (end > reader.size) {
    truncated(`the WebP declares ${end} bytes, the file has ${reader.size}`);
  }
  if (reader.size - end > 1) {
    malformed(`${reader.size - end} bytes follow the end of the WebP`);
  }
  const first = asciiAt(head, 12, 4);
  const firstBytes = head.getUint32(16, true);
  if (20 + firstBytes > end) {
    truncated("its first chunk exceeds the end of the file");
  }
  let size: { width: number; height: number };
  let animated = false;
  let orientation: number | undefined;
  if (first === "VP8 ") {
    size = await lossySize(reader, 20);
  } else if (first === "VP8L") {
    size = await losslessSize(reader, 20);
  } else if (first === "VP8X") {
    const extended = await reader.view(20, 10);
    const flags = extended.getUint8(0);
    size = { width: uint24(extended, 4) + 1, height: uint24(extended, 7) + 1 };
    animated = (flags & IS_ANIMATED) !== 0;
    orientation =
      flags & HAS_EXIF && !animated ? await findOrientation(reader, 20 + firstBytes + (firstBytes % 2)) : undefined;
  } else {
    malformed("the WebP contains no image");
  }
  if (size.width === 0 || size.height === 0) {
    malformed("the WebP does not state its dimensions");
  }
  return {
    type: "image",
    contentType: "image/webp",
    ...asDisplayed(size.width, size.height, orientation),
    durationMs: null,
    facts: { animated, ...(orientation !== undefined && { orientation }) },
  };
}
