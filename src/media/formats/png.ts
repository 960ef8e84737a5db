import type { Inspection } from "#media/types.ts";
import { asciiAt, type ByteReader, bytesOf, malformed, truncated } from "./byte-reader.ts";
import { asDisplayed, exifOrientation } from "./exif.ts";

const FIRST_CHUNK = 8;
const MAX_EXIF_BYTES = 64 * 1024;
/** The last chunk of every PNG (IEND) has exactly these twelve bytes. */
const END = [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82];

function isEnd(bytes: Uint8Array): boolean {
  return END.every((byte, index) => bytes[index] === byte);
}

/** Reads the chunks of a PNG before the image data, and the end chunk. */
export async function inspectPng(reader: ByteReader): Promise<Inspection> {
  const header = await reader.view(FIRST_CHUNK, 21);
  if (header.getUint32(0) !== 13 || asciiAt(header, 4, 4) !== "IHDR") {
    malformed("the PNG does not begin with its header");
  }
  const width = header.getUint32(8);
  const height = header.getUint32(12);
  if (width === 0 || height === 0 || width > 0x7fffffff || height > 0x7fffffff) {
    malformed("the PNG does not state its dimensions");
  }
  let frames: number | undefined;
  let orientation: number | undefined;
  let offset = FIRST_CHUNK + 25;
  for (;;) {
    reader.step();
    const head = await reader.view(offset, 8);
    const length = head.getUint32(0);
    const name = asciiAt(head, 4, 4);
    if (!/^[A-Za-z]{4}$/.test(name)) {
      malformed("a PNG chunk has no name");
    }
    if (name === "IEND") {
      malformed("the PNG contains no image");
    }
    if (offset + 12 + length > reader.size) {
      truncated(`the PNG chunk ${name} exceeds the end of the file`);
    }
    if (name === "IDAT") {
      break;
    }
    if (name === "acTL" && length === 8) {
      frames = (await reader.view(offset + 8, 4)).getUint32(0);
    }
    if (name === "eXIf" && length <= MAX_EXIF_BYTES) {
      orientation = exifOrientation(await reader.view(offset + 8, length));
    }
    offset += 12 + length;
  }
  if (!isEnd(bytesOf(await reader.view(reader.size - END.length, END.length)))) {
    truncated("the PNG does not end with its end chunk");
  }
  return {
    type: "image",
    contentType: "image/png",
    ...asDisplayed(width, height, orientation),
    durationMs: null,
    facts: {
      animated: frames !== undefined && frames > 1,
      ...(frames !== undefined && { frames }),
      ...(orientation !== undefined && { orientation }),
    },
  };
}
